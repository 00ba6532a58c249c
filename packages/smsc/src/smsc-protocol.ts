export const smscProtocols = ['smpp', 'cmpp2', 'cmpp3'] as const;

export type SmscProtocolName = (typeof smscProtocols)[number];
