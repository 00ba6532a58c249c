import { Link } from '@tanstack/react-router';

interface ThingLinkProps {
  readonly organizationId: string;
  readonly id: string;
  readonly name: string;
  /** Shown on hover. */
  readonly title?: string;
}

export function CertificateLink({ id: certificateId, organizationId, name, title }: ThingLinkProps) {
  return (
    <Link to="/o/$organizationId/certificates/$certificateId" params={{ organizationId, certificateId }} title={title}>
      {name}
    </Link>
  );
}

export function DeploymentLink({ id: deploymentId, organizationId, name, title }: ThingLinkProps) {
  return (
    <Link to="/o/$organizationId/deployments/$deploymentId" params={{ organizationId, deploymentId }} title={title}>
      {name}
    </Link>
  );
}

export function MessagingKeyLink({ id: messagingKeyId, organizationId, name, title }: ThingLinkProps) {
  return (
    <Link
      to="/o/$organizationId/messaging-keys/$messagingKeyId"
      params={{ organizationId, messagingKeyId }}
      title={title}
    >
      {name}
    </Link>
  );
}
