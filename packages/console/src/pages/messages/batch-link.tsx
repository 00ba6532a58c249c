import { Link } from '@tanstack/react-router';

export interface BatchLinkProps {
  readonly organizationId: string;
  readonly batchId: string;
}

/** A batch by the end of its id: the beginning is the time, which many share. The whole of it on hover. */
export function BatchLink({ organizationId, batchId }: BatchLinkProps) {
  return (
    <Link
      className="mono"
      to="/o/$organizationId/messages/$batchId"
      params={{ organizationId, batchId }}
      title={batchId}
    >
      …{batchId.slice(-8)}
    </Link>
  );
}
