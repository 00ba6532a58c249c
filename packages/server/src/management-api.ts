import { apiPage } from '@waxwing/contract/api-page.ts';
import type { Operation } from '@waxwing/contract/management-api/operation.ts';
import { openApiDocument } from '@waxwing/contract/open-api.ts';
import type { FastifyInstance } from 'fastify';
import {
  accountOfEmail,
  emailsOfAccounts,
  namesOfManagementKeys,
  namesOfOrganizations,
} from './accounts/account-names.ts';
import { accountRoutes } from './accounts/account-routes.ts';
import { instanceAccountRoutes } from './accounts/instance-account-routes.ts';
import { memberRoutes } from './accounts/member-routes.ts';
import { signInRoutes } from './accounts/sign-in/sign-in-routes.ts';
import { alertRoutes } from './alerts/alert-routes.ts';
import type { Credentials } from './api/actor.ts';
import { createAdmit, type OrganizationLookup } from './api/admit-actor.ts';
import { createChangeStreams } from './api/change-streams.ts';
import { eventRoutes } from './api/event-routes.ts';
import { createIdempotentAnswers } from './api/idempotent-answers.ts';
import { type Binding, registerOperations } from './api/operation-frame.ts';
import { sessionCookie } from './api/session-cookie.ts';
import { carrierRoutes } from './carriers/carrier-routes.ts';
import { acmeRoutes } from './certificates/acme/acme-routes.ts';
import { namesOfCertificates } from './certificates/certificate-lookup.ts';
import { certificateRoutes } from './certificates/certificate-routes.ts';
import type { Application } from './compose.ts';
import type { Settings } from './config/settings.ts';
import { deploymentRoutes } from './deployments/deployment-routes.ts';
import { pageHeaders } from './http/api-headers.ts';
import type { AddressSet } from './http/request/ip-address.ts';
import { createWindowLimit, type WindowLimit } from './http/request/window-limit.ts';
import { type AuditNames, createAuditNames } from './instance/audit-names.ts';
import { auditRoutes } from './instance/audit-routes.ts';
import { inspectInstance } from './instance/doctor/inspect-instance.ts';
import { instanceRoutes } from './instance/instance-routes.ts';
import type { OwnState } from './instance/instance-state.ts';
import { longWork } from './instance/long-work.ts';
import { inboundRoutes } from './intake/inbound-routes.ts';
import { readLatestEvents } from './messages/history/latest-events.ts';
import { messagingOperationRoutes } from './messages/messaging-operation-routes.ts';
import { messagingKeyRoutes } from './messages/senders/messaging-key-routes.ts';
import { namesOfMessagingKeys } from './messages/senders/messaging-key-store.ts';
import { managementKeyRoutes } from './organizations/management-key-routes.ts';
import { organizationRoutes } from './organizations/organization-routes.ts';
import { readPushRates } from './push/history/push-rates.ts';
import { pushRoutes } from './push/push-routes.ts';
import { pushSettingRoutes } from './push/push-setting-routes.ts';
import { Problem } from './runtime/problem.ts';
import type { Worker } from './runtime/supervisor.ts';
import { version } from './runtime/version.ts';
import { wait } from './runtime/wait.ts';

interface ManagementApiNeeds {
  readonly application: Application;
  /** This server's workers, read on demand. */
  readonly workers?: OwnState['workers'];
  readonly credentials: Credentials;
  readonly wrongTokens: WindowLimit;
  readonly trustedProxies: AddressSet;
  readonly onUntrustedForward: (peer: string) => void;
  /** How often readers of event streams are checked, milliseconds; by default 15 s. */
  readonly beatMs?: number;
}

/** Serves `/api/v1`, its description `/api/openapi.json` and the page `/api/docs`. @returns its workers */
export function registerManagementApi(app: FastifyInstance, needs: ManagementApiNeeds): readonly Worker[] {
  const { application, credentials, wrongTokens, trustedProxies, onUntrustedForward } = needs;
  const { settings, clock, database, feed } = application;
  const { db } = database;
  const answers = createIdempotentAnswers({ database, clock, retentionClock: application.retentionClock, wait });
  const streams = createChangeStreams({
    db,
    feed,
    clock,
    latestEvents: (organizationIds) => readLatestEvents(db, organizationIds),
    wait,
  });
  const admit = createAdmit({
    credentials,
    cookie: sessionCookie(settings.baseUrl),
    clock,
    baseUrl: settings.baseUrl,
    trustedProxies,
    onUntrustedForward,
    wrongTokens,
    byActor: createWindowLimit({ limit: settings.apiRequestsPerMinute }),
    byAddress: createWindowLimit({ limit: settings.apiAddressRequestsPerMinute }),
    ...organizationLookup(application),
  });
  const bindings = [...managementBindings(application, needs.workers), ...eventRoutes(streams)];
  registerOperations(app, bindings, {
    clock,
    baseUrl: settings.baseUrl,
    bodyBytes: settings.apiBodyLimit,
    admit,
    answers,
    feed,
    streams: settings.eventStreams,
    streamsPerActor: settings.eventStreamsPerActor,
    ...(needs.beatMs !== undefined && { beatMs: needs.beatMs }),
  });
  const served = bindings.map(({ operation }) => operation);
  describeApi(app, settings.baseUrl, served);
  return [answers.worker, streams.worker];
}

/** How the organization of a path is found. */
export function organizationLookup({
  organizations,
  certificates,
  deployments,
  messaging,
  managementKeys,
  alerts,
  acme,
}: Application): OrganizationLookup {
  const ownerOf =
    (show: (id: string) => Promise<{ readonly organization_id: string | null }>) =>
    async (id: string): Promise<string | null> =>
      (await show(id)).organization_id;
  return {
    organizationExists: (id) => organizations.exists(id),
    ownerOf: {
      certificate_id: ownerOf(certificates.show),
      deployment_id: ownerOf(deployments.show),
      dns_provider_id: ownerOf(acme.dnsProviders.show),
      messaging_key_id: ownerOf(messaging.keys.show),
      management_key_id: ownerOf(managementKeys.show),
      alert_channel_id: ownerOf(alerts.channels.show),
      push_id: ownerOf((id) => messaging.pushes.show(id)),
    },
  };
}

/**
 * The operations of every domain with their handlers.
 * @param halves of the service whose operations are served
 */
export function managementBindings(
  application: Application,
  workers: OwnState['workers'] = () => [],
  halves: Settings['modules'] = application.settings.modules,
): readonly Binding[] {
  const { settings, clock, database, audit, people, organizations, nodeId } = application;
  const { baseUrl, modules } = settings;
  const own = { version, nodeId, modules, workers };
  const verification = longWork(
    { reason: 'verification_under_way', detail: 'This server runs a verification already. Wait for its end.' },
    clock.now,
    audit.verify,
  );
  const inspection = longWork(
    { reason: 'doctor_under_way', detail: 'This server runs the doctor already. Wait for its end.' },
    clock.now,
    (_, onProgress) => inspectInstance(application, onProgress),
  );
  return [
    ...signInRoutes({ people, baseUrl, clock, sessionMs: settings.sessionLimit }),
    ...accountRoutes({ people, baseUrl, sessionMs: settings.sessionLimit, modules }),
    ...organizationRoutes(organizations),
    ...memberRoutes(people.members),
    ...instanceAccountRoutes({ db: database.db, operators: people.operators }),
    ...managementKeyRoutes(application.managementKeys),
    ...alertRoutes({ database, channels: application.alerts.channels }),
    ...(halves.includes('certificates') ? certificateBindings(application) : []),
    ...(halves.includes('messaging') ? messagingBindings(application) : []),
    ...auditRoutes(audit, auditNames(application), verification),
    ...instanceRoutes({
      database,
      own,
      readRates: () => readPushRates(database, clock),
      inspection,
      verification,
    }),
  ];
}

function certificateBindings({
  settings,
  database,
  audit,
  certificates,
  acme,
  deployments,
}: Application): readonly Binding[] {
  const { baseUrl, importLimit } = settings;
  return [
    ...certificateRoutes({ certificates, importLimit }),
    ...acmeRoutes({ ...acme, certificates }),
    ...deploymentRoutes({ db: database.db, deployments, audit, baseUrl }),
  ];
}

function messagingBindings({ database, messaging }: Application): readonly Binding[] {
  const { keys, pushSettings, pushes, engine, routes, readPushStates } = messaging;
  const readPush = async (organizationId: string, id: string) => orUndefined(pushes.show(id, organizationId));
  return [
    ...messagingOperationRoutes({ ...messaging, db: database.db, readPushStates, readPush }),
    ...messagingKeyRoutes(keys),
    ...pushSettingRoutes({ settings: pushSettings, laneStatus: (id) => engine.laneStatus(id) }),
    ...pushRoutes(pushes),
    ...carrierRoutes(messaging),
    ...inboundRoutes(routes),
  ];
}

/** Retention may have removed it. */
async function orUndefined<T>(reading: Promise<T>): Promise<T | undefined> {
  try {
    return await reading;
  } catch (error) {
    if (error instanceof Problem && error.code === 'not_found') return undefined;
    throw error;
  }
}

/** The current names of ids in the audit trail. */
function auditNames({ database: { db }, deployments }: Application): AuditNames {
  return createAuditNames(
    [
      { kind: 'account', names: (ids, organizationId) => emailsOfAccounts(db, ids, organizationId) },
      { kind: 'management-key', names: (ids, organizationId) => namesOfManagementKeys(db, ids, organizationId) },
      { kind: 'organization', names: (ids, organizationId) => namesOfOrganizations(db, ids, organizationId) },
      { kind: 'certificate', names: (ids) => namesOfCertificates(db, ids) },
      { kind: 'deployment', names: (ids) => deployments.names(ids) },
      { kind: 'messaging-key', names: (ids) => namesOfMessagingKeys(db, ids) },
    ],
    (email, organizationId) => accountOfEmail(db, email, organizationId),
  );
}

/** The API's description, public: it holds nothing of an instance but its base URL. */
function describeApi(app: FastifyInstance, baseUrl: string, operations: readonly Operation[]): void {
  const document = openApiDocument(operations, { version, server: baseUrl });
  const json = Buffer.from(JSON.stringify(document));
  const { html, policy } = apiPage(document);
  const page = Buffer.from(html);
  app.get('/api/openapi.json', (_request, reply) =>
    reply.headers(pageHeaders(baseUrl, "default-src 'none'")).type('application/json').send(json),
  );
  app.get('/api/docs', (_request, reply) =>
    reply.headers(pageHeaders(baseUrl, policy)).type('text/html; charset=utf-8').send(page),
  );
}
