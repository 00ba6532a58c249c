/**
 * Preloaded into a server (`node --import`): it connects from the address that STORY_SOURCE_ADDRESS names, so that a
 * receiver on this machine can tell several servers apart. All of 127.0.0.0/8 is ours on Linux.
 */
import { Socket, type TcpNetConnectOpts } from 'node:net';

const localAddress = process.env.STORY_SOURCE_ADDRESS;
const { connect } = Socket.prototype;

Socket.prototype.connect = function (this: Socket, ...given: unknown[]) {
  // node:net hands its arguments on as one array, the options first.
  const [options] = (Array.isArray(given[0]) ? given[0] : given) as [TcpNetConnectOpts];
  if (localAddress !== undefined && options.port !== undefined) options.localAddress = localAddress;
  return Reflect.apply(connect, this, given) as Socket;
} as typeof connect;
