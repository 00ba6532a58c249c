/**
 * Preloaded into a server (`node --import`): connects from STORY_SOURCE_ADDRESS, so that a receiver on this machine can
 * tell servers apart. Linux has all of 127.0.0.0/8.
 */
import { Socket, type TcpNetConnectOpts } from 'node:net';

const localAddress = process.env.STORY_SOURCE_ADDRESS;
const { connect } = Socket.prototype;

Socket.prototype.connect = function (this: Socket, ...given: unknown[]) {
  // node:net passes its arguments as one array, the options first.
  const [options] = (Array.isArray(given[0]) ? given[0] : given) as [TcpNetConnectOpts];
  if (localAddress !== undefined && options.port !== undefined) options.localAddress = localAddress;
  return Reflect.apply(connect, this, given) as Socket;
} as typeof connect;
