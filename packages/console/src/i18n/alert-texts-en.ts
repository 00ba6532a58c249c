export const alertTexts = {
  alerts: {
    about: 'About',
    attempts_one: '{{count}} attempt',
    attempts_other: '{{count}} attempts',
    columns: { alert: 'Alert', deliveries: 'Sent to' },
    everywhere: 'Instance and organizations',
    instanceLead: 'Alerts of this instance and its organizations, and where they were sent.',
    lead: 'Alerts of this organization, and where they were sent.',
    marks: { trouble: 'Alert', over: 'Resolved', news: 'Notice' },
    nextAttempt: 'Next attempt',
    none: 'No alert yet',
    noneLead:
      'Certificates that expire, servers that do not fetch, and push receivers that fail are told here, and sent to the alert channels.',
    onlyInstance: 'Instance only',
    states: { waiting: 'Waiting', sent: 'Sent', failed: 'Not sent' },
    operators: 'The operators of the instance',
    toNobody: 'Nobody: no channel heard of it',
  },
  alertChannels: {
    columns: { error: 'Last error', last: 'Last result', sent: 'Last sent', to: 'Sends to' },
    create: 'New alert channel',
    createSubmit: 'Create',
    created: '{{name}} is created',
    deleteWhat: 'Alerts that still wait for it are not sent. What was sent stays listed.',
    edit: 'Edit {{name}}',
    enabledNamed: 'Send to {{name}}',
    instanceLead:
      'Where alerts of the instance are sent, and those of organizations that have no enabled channel of their own.',
    kind: 'Kind',
    kinds: {
      email: 'Email',
      webhook: 'Webhook',
      wecom: 'WeCom robot',
      dingtalk: 'DingTalk robot',
      feishu: 'Feishu robot',
    },
    lead: 'Where alerts of this organization are sent: mail, a webhook, or a robot in a group chat.',
    namePlaceholder: 'On-call group',
    none: 'No alert channel yet',
    notYet: 'nothing sent yet',
    refused: 'Not accepted',
    robotUrl: 'Webhook URL of the robot',
    secret: 'Secret (optional)',
    secretForm: 'Copy the secret as the robot shows it, without spaces.',
    secretHints: {
      webhook:
        'whsec_ and the base64 of 24 to 64 bytes. Without one of your own, a secret is generated and shown once.',
      dingtalk:
        'From the security settings of the robot, “Additional Signature”: begins with SEC. With “Custom Keywords” instead, enter the keyword Waxwing there and nothing here.',
      feishu:
        'From the security settings of the bot, “Set signature verification”. With “Set custom keywords” instead, enter the keyword Waxwing there and nothing here.',
    },
    secretKept: 'Left empty: unchanged.',
    signed: 'signed',
    test: 'Test',
    testNamed: 'Test {{name}}',
    testRefused: 'The test alert was not accepted',
    testWhat: 'Sends one alert the way real ones go, even while the channel is off. It is not listed.',
    tested: 'The test alert was accepted',
    to: 'Recipients',
    toForm: 'Write each recipient as one email address, {{most}} at most.',
    toHint: 'Email addresses. Mail is sent by the mail server that operators set (WAXWING_SMTP_URL).',
    toNobody:
      'Without an enabled channel, nobody hears of alerts of the instance, nor of organizations without a channel.',
    toOperators: 'Without an enabled channel, alerts of this organization go to the operators of the instance.',
    unsign: 'Send without a signature from now on',
    url: 'URL',
    urlHints: {
      webhook: 'A public http or https address. Each alert is posted to it as JSON, with a signature.',
      wecom:
        'In the group chat: its menu, then Message Push (Group Bots), Add. The URL contains the key, so keep it to yourself.',
      dingtalk:
        'In the group: Group Settings, Bot, Add Robot, Custom. The URL contains the token, so keep it to yourself.',
      feishu:
        'In the group: Settings, Bots, Add Bot, Custom Bot. Anyone who has the URL can post, so keep it to yourself.',
    },
    urlKept: 'Left empty: unchanged. The present URL is secret and is not shown.',
    verify:
      'Each alert has the header Webhook-Signature: HMAC-SHA256 over “Webhook-Id.Webhook-Timestamp.body”, in base64, as in Standard Webhooks. Compute it with the secret and compare.',
  },
} as const;
