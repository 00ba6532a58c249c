/** SMPP 3.4 §5.1.2.1 */
export const commandIds = {
  generic_nack: 0x8000_0000,
  bind_receiver: 0x0000_0001,
  bind_receiver_resp: 0x8000_0001,
  bind_transmitter: 0x0000_0002,
  bind_transmitter_resp: 0x8000_0002,
  query_sm: 0x0000_0003,
  query_sm_resp: 0x8000_0003,
  submit_sm: 0x0000_0004,
  submit_sm_resp: 0x8000_0004,
  deliver_sm: 0x0000_0005,
  deliver_sm_resp: 0x8000_0005,
  unbind: 0x0000_0006,
  unbind_resp: 0x8000_0006,
  replace_sm: 0x0000_0007,
  replace_sm_resp: 0x8000_0007,
  cancel_sm: 0x0000_0008,
  cancel_sm_resp: 0x8000_0008,
  bind_transceiver: 0x0000_0009,
  bind_transceiver_resp: 0x8000_0009,
  outbind: 0x0000_000b,
  enquire_link: 0x0000_0015,
  enquire_link_resp: 0x8000_0015,
  submit_multi: 0x0000_0021,
  submit_multi_resp: 0x8000_0021,
  alert_notification: 0x0000_0102,
  data_sm: 0x0000_0103,
  data_sm_resp: 0x8000_0103,
} as const;

export type CommandName = keyof typeof commandIds;

const namesById: ReadonlyMap<number, CommandName> = new Map(
  Object.entries(commandIds).map(([name, id]) => [id, name as CommandName]),
);

export function commandName(id: number): CommandName | undefined {
  return namesById.get(id);
}

/** Responses have the highest bit of their command_id set. */
export function isResponseId(id: number): boolean {
  return id >= 0x8000_0000;
}
