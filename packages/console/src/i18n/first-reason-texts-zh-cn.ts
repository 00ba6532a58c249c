/**
 * Reasons of refusals, by code and reason, that people can meet before signing in or while confirming their identity.
 * Loaded with the first page, so it is small.
 */
export const firstReasonTexts = {
  conflict: {
    account_exists: '账号 {{email}} 已存在。请先用它登录，再重新打开此链接。',
    account_made_meanwhile: '此邮箱的账号刚刚已被创建。请重新打开此链接。',
    password_or_passkey_needed: '验证码不足以确认您的身份。请输入密码，或使用通行密钥。',
  },
  origin_not_allowed: {
    foreign_origin: '请通过 {{base_url}} 打开控制台后重试。',
  },
  password_rejected: {
    missing: '此链接用于设置密码，请填写新密码。',
    too_short: '密码至少 {{least}} 个字符，可以由几个词组成。',
    too_long: '密码最多 {{most}} 个字符。',
    not_text: '密码不能含有控制字符。',
    common: '这是最先被人尝试的密码之一。请换一个，例如几个互不相关的词。',
    context: '此密码几乎只由您的邮箱地址或本服务的名称组成，请换一个。',
    repetitive: '此密码只是重复的内容，或键盘、字母表上的连续字符，请换一个。',
  },
  sso_refused: {
    no_identity_provider: '本实例没有配置身份提供方（WAXWING_OIDC_ISSUER），请改用其他方式登录。',
    not_vouched: '身份提供方没有确认您的身份。请重试，或联系运维人员。',
    email_not_verified: '身份提供方尚未验证您的邮箱地址。请先在身份提供方完成验证。',
    domain_not_allowed: '您的邮箱域名不能使用单点登录。请改用其他方式登录。',
    account_not_connected: '您的邮箱已有账号。请先用其他方式登录，再在“我的账号”中绑定单点登录。',
    no_role: '身份提供方没有授予您在此处的任何角色。请联系运维人员。',
    not_proven_anew:
      '身份提供方没有告知您刚刚在那里重新登录过（ID 令牌中的 auth_time），因此无法确认您的身份。请联系运维人员：让身份提供方提供 auth_time，或为您创建重置密码的链接。',
    another_account: '您在身份提供方的身份已绑定另一个账号。',
  },
} as const;
