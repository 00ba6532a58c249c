import fastify, { type FastifyInstance } from 'fastify';
import { createCliAdmit } from '../../api/admit-actor.ts';
import { type Binding, bind, registerOperations } from '../../api/operation-frame.ts';
import type { Application } from '../../compose.ts';
import { isUnavailable } from '../../database/sql/database-errors.ts';
import { createErrorHandler } from '../../http/error-handler.ts';
import type { OwnState } from '../../instance/instance-state.ts';
import { managementBindings, organizationLookup } from '../../management-api.ts';
import { Problem } from '../../runtime/problem.ts';
import { backUpDatabase } from './back-up-database.ts';
import * as machine from './machine-operations.ts';
import { baseUrlHeader } from './socket-path.ts';

/**
 * The management API for the owner of the machine, with the operations that need the machine itself. Nothing here asks
 * who connects: it must be reached only by the socket in the data folder, or from within this process.
 * @param workers the states of the running server's workers
 */
export async function openLocalApi(application: Application, workers?: OwnState['workers']): Promise<FastifyInstance> {
  const { settings, clock, telemetry, feed } = application;
  const app = fastify({
    logger: false,
    exposeHeadRoutes: false,
    routerOptions: { maxParamLength: 512, querystringParser: () => ({}) },
  });
  // Refusals are for the person who asked, and not for the log.
  const log = { error: telemetry.log.error.bind(telemetry.log), warn: () => {} };
  const answerError = createErrorHandler({ log, clock });
  app.setErrorHandler((error, request, reply) => answerError(withCause(error), request, reply));
  app.setNotFoundHandler(() => {
    throw new Problem('route_not_found');
  });
  app.addHook('onRequest', async (_request, reply) => {
    reply.header(baseUrlHeader, settings.baseUrl);
  });
  const bindings = [
    ...managementBindings(application, workers, ['certificates', 'messaging']).map((binding) =>
      settings.modules.includes('messaging') ? binding : withoutSending(binding),
    ),
    ...machineBindings(application),
  ];
  registerOperations(app, bindings, {
    clock,
    baseUrl: settings.baseUrl,
    bodyBytes: settings.apiBodyLimit,
    admit: createCliAdmit(organizationLookup(application), clock),
    // The command line asks once: it has no credential by which an answer could be kept.
    answers: { once: (_request, work) => work() },
    feed,
    streams: 0,
    streamsPerActor: 0,
  });
  await app.ready();
  return app;
}

function machineBindings(application: Application): readonly Binding[] {
  return [
    bind(machine.writeBackup, ({ by, body }) => backUpDatabase(application, by, body.file)),
    bind(machine.rotateMasterKey, async ({ by }) => {
      const { keyId, rewrapped, resumed } = await application.masterKeys.rotate(by);
      return { key_id: keyId, rewrapped, resumed };
    }),
  ];
}

/** Shows the cause of a full disk or a stopped PostgreSQL: the owner of the machine can mend it. */
function withCause(error: unknown): unknown {
  const cause = error instanceof Problem && error.code === 'service_unavailable' ? error.cause : undefined;
  if (!(cause instanceof Error) || !isUnavailable(cause)) return error;
  return new Problem('service_unavailable', { detail: cause.message, cause });
}

/** Without the message gateway these would answer well, and nothing would follow. All else can be prepared and looked at. */
const sending: ReadonlySet<string> = new Set([
  'sendByHand',
  'resendPush',
  'resendPushes',
  'createResend',
  'replyBySimulator',
]);

function withoutSending(binding: Binding): Binding {
  if (!sending.has(binding.operation.id)) return binding;
  return {
    ...binding,
    handle: () => {
      throw new Problem('conflict', {
        field: 'WAXWING_MODULES',
        detail:
          'The message gateway is switched off here, so nothing would be sent. Add messaging to WAXWING_MODULES, and restart the server.',
      });
    },
  };
}
