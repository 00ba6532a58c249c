/**
 * Why an alert was not sent, as the service itself says it: English sentences with {{parameters}}. The console tells them
 * in the reader's language. All other reasons are in the words of the receiver.
 */
export const sendingFailures = {
  timedOut: 'No answer came in time.',
  noConnection: 'No connection came about ({{code}}).',
  brokenOff: 'The connection broke off before the answer was complete ({{code}}).',
  untrusted: 'The certificate of the server is not trusted ({{code}}).',
  unresolved: 'The name of the server does not resolve ({{code}}).',
  cutOff: 'The request was cut off on our side.',
  localName: 'The host is this machine itself.',
  notPublic: 'The address of the server is not public.',
  ownAddress: 'The address is this service itself.',
  status: 'Status {{status}} instead of 200.',
  statusSaid: 'Status {{status}} instead of 200: {{words}}',
  noRobot: 'The answer, status {{status}}, is not that of a robot.',
  webhookSecret: 'The secret of the webhook is not whsec_ and the base64 of 24 to 64 bytes.',
  noMailServer: 'No mail server is set: the operator sets WAXWING_SMTP_URL.',
  mailPasswordFile: 'The file of WAXWING_SMTP_PASSWORD_FILE cannot be read ({{code}}).',
  mailToSome: 'The mail went to {{accepted}} of {{all}} addresses. About another one the server said: {{words}}',
  mailCutOff: 'The mail was cut off on our side.',
  mailNotTaken: 'The mail server did not take the mail in time.',
  mailClosed: 'The mail server closed the connection.',
  mailTimedOut: 'The mail server did not answer in time.',
  mailNoConnection: 'No connection to the mail server came about, or it broke off.',
  mailUnresolved: 'The name of the mail server does not resolve.',
  mailNotEncrypted: 'No encrypted connection to the mail server came about.',
  mailNoSmtp: 'The mail server does not speak SMTP.',
  mailNoSignIn: 'The mail server offers no way to sign in that we know.',
  mailOther: 'The mail could not be handed to the mail server ({{code}}).',
} as const;
export type SendingFailure = keyof typeof sendingFailures;

export function sendingFailureWords(
  failure: SendingFailure,
  parameters: Readonly<Record<string, string | number>> = {},
): string {
  return sendingFailures[failure].replace(/\{\{(\w+)\}\}/g, (_all, name: string) => String(parameters[name]));
}
