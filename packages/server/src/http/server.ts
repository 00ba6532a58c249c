import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { Socket } from 'node:net';
import fastify, { type FastifyInstance, type RouteOptions } from 'fastify';
import { Problem } from '../runtime/problem.ts';
import { type AllowedMethods, createAllowedMethods } from './allowed-methods.ts';
import {
  createErrorHandler,
  type ErrorHandlerOptions,
  errorAnswer,
  headersOfProblems,
  renderingFor,
} from './error-handler.ts';
import { limitConnections } from './open-connections.ts';
import { refuseConnection } from './refuse-connection.ts';
import { type AddressSet, networkSet } from './request/ip-address.ts';
import { pathOf, requestTarget } from './request/request-target.ts';
import { SpelledResponse } from './spelled-response.ts';

/** Certificate chain and private key, PEM. */
export interface TlsMaterial {
  readonly cert: string | Buffer;
  readonly key: string | Buffer;
}

export interface HttpLimits {
  /** Request line and headers together, bytes. */
  readonly headerBytes: number;
  readonly bodyBytes: number;
  /** Open connections; `limitConnections` says which goes when there is one more. */
  readonly connections: number;
  /** For the TLS handshake, for the headers to arrive, also where nothing has come yet, and for the whole request. */
  readonly headersMs: number;
  readonly requestMs: number;
  /**
   * Without a byte either way, between two requests as well: longer than the 60 to 90 s after which common proxies and
   * clients drop an idle connection to us, since Node tells them of no other limit than `keepAliveTimeout`. It also ends a client that
   * does not read its answer.
   */
  readonly idleMs: number;
  /** How often late requests are looked for. */
  readonly checkMs: number;
}

/** What the settings say has its default there. */
type SetLimits = Pick<HttpLimits, 'headerBytes' | 'connections'>;

const defaultLimits: Omit<HttpLimits, keyof SetLimits> = {
  bodyBytes: 1_048_576,
  headersMs: 10_000,
  requestMs: 30_000,
  idleMs: 120_000,
  checkMs: 5_000,
};

export interface HttpServerOptions extends ErrorHandlerOptions {
  readonly tls?: TlsMaterial;
  readonly limits: SetLimits & Partial<HttpLimits>;
  readonly trustedProxies?: AddressSet;
}

const noProxies = networkSet([]);
const noQuery = Object.freeze({});

function refuseSchemas(): never {
  throw new TypeError('a route has no schema of Fastify: operations are checked by their contract');
}

type Handler = (request: IncomingMessage, response: ServerResponse) => void;

/**
 * The HTTP ground that all routes stand on: 400 for what is no request, 404 for an unknown path, 405 with Allow for a
 * known path, in this order, and every error rendered as its place demands. Each GET route also answers HEAD.
 *
 * Nothing here logs per request, and no root hook runs on the hot path.
 */
export function createHttpServer(options: HttpServerOptions): FastifyInstance {
  const limits = { ...defaultLimits, ...options.limits };
  const answerError = createErrorHandler(options);
  const app = fastify({
    logger: false,
    bodyLimit: limits.bodyBytes,
    // rememberMethods() adds HEAD: Fastify's own would send Content-Length 0 with a 304.
    exposeHeadRoutes: false,
    // Its 503 is not our envelope; a request that arrives while closing is served, and its connection closed.
    return503OnClosing: false,
    // Handlers read queries themselves (raw-query.ts), because they must notice a parameter given twice.
    routerOptions: { maxParamLength: 512, querystringParser: () => noQuery },
    // No route has a Fastify schema: the compilers for them are not even loaded.
    schemaController: { compilersFactory: { buildValidator: refuseSchemas, buildSerializer: refuseSchemas } },
    frameworkErrors: answerError,
    clientErrorHandler(error, socket) {
      if (hasSentNothing(error, socket)) socket.destroySoon();
      else refuseConnection(socket, options.clock.now());
    },
    serverFactory: (handler) => listener(handler as Handler, options, limits),
  });
  app.setErrorHandler(answerError);
  answerUnknown(app, rememberMethods(app));
  return app;
}

/** Serves new connections with another certificate; those open keep theirs. @throws when the pair is not usable. */
export function replaceTls(app: FastifyInstance, tls: TlsMaterial): void {
  const server = app.server as Server & { setSecureContext?: (tls: TlsMaterial) => void };
  if (server.setSecureContext === undefined) throw new TypeError('this server does not speak TLS');
  server.setSecureContext({ cert: tls.cert, key: tls.key });
}

/**
 * A connection that a browser has opened to spare, whose time is up. An answer would be taken for that to the request which it
 * sends next, so there is none.
 */
function hasSentNothing(error: NodeJS.ErrnoException, socket: Socket): boolean {
  return error.code === 'ERR_HTTP_REQUEST_TIMEOUT' && socket.bytesRead === 0;
}

function listener(handler: Handler, options: HttpServerOptions, limits: HttpLimits): Server {
  const { clock, tls, problemHeaders, trustedProxies = noProxies } = options;
  const settings = {
    ServerResponse: SpelledResponse,
    maxHeaderSize: limits.headerBytes,
    headersTimeout: limits.headersMs,
    requestTimeout: limits.requestMs,
    // No limit of its own between two requests: to change from one to the other and back costs each of them two timers.
    keepAliveTimeout: 0,
    connectionsCheckingInterval: limits.checkMs,
    // Node's own answer to a missing Host has no envelope; requestTarget() looks after it.
    requireHostHeader: false,
  };
  const onRequest: Handler = (request, response) => {
    connections.serve(request.socket, response);
    const target = requestTarget(request);
    if (target === undefined) return refuse(request, response, clock.now(), problemHeaders);
    request.url = target;
    handler(request, response);
  };
  // https.Server has all that Fastify uses of http.Server, though not its type.
  const server = (
    tls === undefined
      ? createServer(settings, onRequest)
      : createTlsServer(
          { ...settings, cert: tls.cert, key: tls.key, minVersion: 'TLSv1.2', handshakeTimeout: limits.headersMs },
          onRequest,
        )
  ) as Server;
  const connections = limitConnections(server, { most: limits.connections, trustedProxies });
  // A client that has sent all it has to say may close its side and wait. By default Node drops what is being answered, and a key
  // would be recorded as handed out that never left.
  Object.assign(server, { httpAllowHalfOpen: true });
  // By default Node drops headers beyond the 2000th in silence, and with them a second Authorization.
  server.maxHeadersCount = 0;
  server.setTimeout(limits.idleMs);
  server.on('connect', (_request, socket) => refuseConnection(socket, clock.now()));
  server.on('checkExpectation', (request, response) => {
    connections.serve(request.socket, response);
    refuse(request, response, clock.now(), problemHeaders);
  });
  return server;
}

/**
 * A request that is not to be understood. Where its end is known for sure the connection may live on; with chunks it is not:
 * they are refused where somebody before us may have found another end (RFC 9112 §6.1).
 */
function refuse(
  request: IncomingMessage,
  response: ServerResponse,
  now: number,
  problemHeaders: ErrorHandlerOptions['problemHeaders'],
): void {
  if (request.headers['transfer-encoding'] !== undefined) response.shouldKeepAlive = false;
  const rendering = renderingFor(pathOf(request.url ?? ''));
  const answer = errorAnswer(new Problem('invalid_request'), rendering, now);
  const body = Buffer.from(answer.body);
  const more = rendering === 'problem+json' ? headersOfProblems(problemHeaders) : {};
  response.writeHead(answer.status, { ...more, ...answer.headers, 'content-length': body.length }).end(body);
}

/** Adds HEAD to every GET route (Node leaves the body out, with the same headers) and keeps what methods a path has. */
function rememberMethods(app: FastifyInstance): AllowedMethods {
  const allowed = createAllowedMethods();
  app.addHook('onRoute', (route: RouteOptions) => {
    const methods = [route.method].flat();
    if (methods.includes('GET') && !methods.includes('HEAD')) methods.push('HEAD');
    route.method = methods;
    allowed.add(route.url, methods);
  });
  return allowed;
}

/**
 * 404 and 405. The hook lives in a scope of its own, so it runs for unknown routes alone, and before Fastify would read
 * a body and complain about that instead.
 */
function answerUnknown(app: FastifyInstance, allowed: AllowedMethods): void {
  app.register(async (scope) => {
    scope.addHook('onRequest', async (request, reply) => {
      const methods = allowed.at(pathOf(request.raw.url ?? ''));
      if (methods.length === 0) throw new Problem('route_not_found');
      reply.header('allow', methods.join(', '));
      throw new Problem('method_not_allowed');
    });
    scope.setNotFoundHandler(() => {
      throw new Problem('route_not_found');
    });
  });
}
