import { EventEmitter, once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { type ForeignPdu, type ForeignSession, foreignSmpp } from './foreign-smpp.ts';

/** A carrier by npm `smpp`: it takes binds with the right password, and does with submits as its story says. */
export interface ForeignSmsc extends AsyncDisposable {
  readonly port: number;
  /** All requests of clients, as they came. */
  readonly requests: readonly ForeignPdu[];
  /** The first requests with this command, once there are so many. */
  received(command: string, count: number): Promise<readonly ForeignPdu[]>;
  /** Sends to the client that bound last to receive, and waits for its answer. */
  ask(request: 'deliver_sm' | 'enquire_link', fields?: object): Promise<ForeignPdu>;
}

export const foreignAccount = { id: 'foreign', password: 'sesame' };

const invalidPassword = 0x0e;

/**
 * What becomes of a submit: its status, or its id and the fields of a deliver_sm that reports it.
 * @param number of the submit, from 1
 */
export type ForeignAnswer = (
  submit: ForeignPdu,
  number: number,
) => { readonly status: number } | { readonly id: string; readonly receipt?: object };

export async function startForeignSmsc(answer: ForeignAnswer): Promise<ForeignSmsc> {
  const requests: ForeignPdu[] = [];
  const arrivals = new EventEmitter();
  const receivers: ForeignSession[] = [];
  let submits = 0;

  function serve(session: ForeignSession, pdu: ForeignPdu): void {
    if (pdu.command.startsWith('bind_')) {
      const isTaken = pdu.system_id === foreignAccount.id && pdu.password === foreignAccount.password;
      session.send(pdu.response(isTaken ? { system_id: 'foreign-smsc' } : { command_status: invalidPassword }));
      if (!isTaken) session.close();
      else if (pdu.command !== 'bind_transmitter') receivers.push(session);
    } else if (pdu.command === 'submit_sm') {
      submits += 1;
      const answered = answer(pdu, submits);
      if ('status' in answered) session.send(pdu.response({ command_status: answered.status }));
      else {
        session.send(pdu.response({ message_id: answered.id }));
        const between = { source_addr: pdu.destination_addr, destination_addr: pdu.source_addr };
        const receiver = receivers.includes(session) ? session : receivers.at(-1);
        if (answered.receipt !== undefined) receiver?.deliver_sm({ ...between, ...answered.receipt }, () => {});
      }
    } else session.send(pdu.response());
  }

  const server = foreignSmpp.createServer((session) => {
    session.on('error', () => {});
    session.on('pdu', (pdu: ForeignPdu) => {
      if (pdu.isResponse()) return;
      requests.push(pdu);
      serve(session, pdu);
      arrivals.emit('arrival');
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    requests,
    async received(command, count) {
      for (;;) {
        const found = requests.filter((request) => request.command === command);
        if (found.length >= count) return found;
        await once(arrivals, 'arrival');
      }
    },
    ask(request, fields = {}) {
      const session = receivers.at(-1);
      if (session === undefined) throw new Error('no client takes messages');
      return new Promise((resolve) => session[request](fields, resolve));
    },
    async [Symbol.asyncDispose]() {
      for (const session of server.sessions) session.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}
