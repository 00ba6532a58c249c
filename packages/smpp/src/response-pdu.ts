/** Responses without content of their own. */
import type { CommandName } from './command-id.ts';
import type { GenericNack, SmppPdu } from './smpp-pdu.ts';

export function genericNack(sequence: number, status: number): GenericNack {
  return { command: 'generic_nack', sequence, status, tlvs: [] };
}

/**
 * The response to a request which says nothing but its status.
 * @param command of the request. Commands without a response of their own get a generic_nack.
 */
export function bareResponse(command: CommandName, sequence: number, status: number): SmppPdu {
  const head = { sequence, status, tlvs: [] };
  switch (command) {
    case 'bind_transmitter':
      return { command: 'bind_transmitter_resp', ...head, systemId: '' };
    case 'bind_receiver':
      return { command: 'bind_receiver_resp', ...head, systemId: '' };
    case 'bind_transceiver':
      return { command: 'bind_transceiver_resp', ...head, systemId: '' };
    case 'submit_sm':
      return { command: 'submit_sm_resp', ...head, messageId: '' };
    case 'deliver_sm':
      return { command: 'deliver_sm_resp', ...head, messageId: '' };
    case 'data_sm':
      return { command: 'data_sm_resp', ...head, messageId: '' };
    case 'submit_multi':
      return { command: 'submit_multi_resp', ...head, messageId: '', unsuccessful: [] };
    case 'query_sm':
      return { command: 'query_sm_resp', ...head, messageId: '', finalDate: '', messageState: 0, errorCode: 0 };
    case 'cancel_sm':
      return { command: 'cancel_sm_resp', ...head };
    case 'replace_sm':
      return { command: 'replace_sm_resp', ...head };
    case 'unbind':
      return { command: 'unbind_resp', ...head };
    case 'enquire_link':
      return { command: 'enquire_link_resp', ...head };
    default:
      return genericNack(sequence, status);
  }
}
