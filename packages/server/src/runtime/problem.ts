/**
 * Every error a caller can meet, in one table. `status` is the HTTP status, `message` the text of the retrieval
 * envelope (given texts are fixed by the interface), `title` the English sentence for people and for docs/errors.md.
 */
export const problems = {
  missing_token: { status: 401, message: '缺少API密钥', title: 'No API token was supplied.' },
  invalid_token: { status: 401, message: '无效的API密钥', title: 'The API token is unknown, disabled or expired.' },
  token_not_permitted: {
    status: 403,
    message: '当前API密钥未授权访问',
    title: 'The token is valid but has no deployment permission.',
  },
  address_not_allowed: {
    status: 403,
    message: '当前IP未授权访问',
    title: 'The client address is not on the allow-list.',
  },
  certificate_not_found: {
    status: 404,
    message: '未找到有效的证书',
    title: 'The certificate is missing, not issued, failed or revoked.',
  },
  invalid_download_type: {
    status: 400,
    message: '无效的下载类型',
    title: 'The parameter type is neither certificate nor key.',
  },
  invalid_request: { status: 400, message: '无效的请求', title: 'The request is not well-formed HTTP.' },
  body_too_large: { status: 413, message: '请求体过大', title: 'The body is larger than this operation takes.' },
  invalid_parameter: { status: 400, message: '参数错误', title: 'A parameter has a value that is not accepted.' },
  route_not_found: { status: 404, message: '接口不存在', title: 'There is nothing at this path.' },
  method_not_allowed: {
    status: 405,
    message: '不支持的请求方法',
    title: 'The path exists, but not for this method.',
  },
  too_many_requests: { status: 429, message: '请求过于频繁', title: 'Too many requests; see Retry-After.' },
  service_unavailable: {
    status: 503,
    message: '服务暂不可用',
    title: 'The service cannot keep its promises at the moment; see Retry-After.',
  },
  internal_error: { status: 500, message: '服务器内部错误', title: 'An unexpected fault; its cause is in the log.' },
  not_found: { status: 404, message: '未找到', title: 'There is no such object.' },
  idempotency_conflict: {
    status: 409,
    message: '幂等键冲突',
    title: 'The Idempotency-Key belongs to another request.',
  },
  cursor_expired: {
    status: 410,
    message: '游标已过期',
    title: 'Events after this cursor have been removed; begin again without one.',
  },
  conflict: { status: 409, message: '状态冲突', title: 'The object is not in a state that allows this.' },
  unauthenticated: {
    status: 401,
    message: '未登录',
    title: 'Nobody is signed in, or the session has ended, and no management key was given.',
  },
  role_not_permitted: { status: 403, message: '权限不足', title: 'The role of the person or key does not allow this.' },
  reauthentication_required: {
    status: 403,
    message: '需要重新验证身份',
    title: 'This needs a sign-in or re-authentication of the last five minutes.',
  },
  origin_not_allowed: {
    status: 403,
    message: '请求来源不被允许',
    title: 'A change by a session must come from the pages of this instance.',
  },
  precondition_required: {
    status: 428,
    message: '缺少前提条件',
    title: 'This change needs If-Match with the ETag of what is being changed.',
  },
  precondition_failed: {
    status: 412,
    message: '前提条件不满足',
    title: 'Somebody has changed it since it was read. Read it again.',
  },
  certificate_rejected: {
    status: 422,
    message: '证书未被接受',
    title: 'The certificate material was not accepted; every fault is listed and nothing was stored.',
  },
  wrong_credentials: {
    status: 401,
    message: '凭证错误',
    title: 'The mail address, password, code or passkey is not right.',
  },
  sign_in_expired: {
    status: 401,
    message: '登录步骤已过期',
    title: 'This step of a sign-in is over: it took too long, or was used before. Begin again.',
  },
  sso_refused: {
    status: 403,
    message: '单点登录被拒绝',
    title: 'The identity provider did not vouch for somebody who may sign in here.',
  },
  link_expired: {
    status: 410,
    message: '链接已失效',
    title: 'The one-time link is unknown, was used before, or is too old. Ask for another one.',
  },
  password_rejected: {
    status: 422,
    message: '密码未被接受',
    title: 'The new password is not accepted; the detail says why.',
  },
  factor_rejected: {
    status: 422,
    message: '验证方式未被接受',
    title: 'The second factor or passkey that was to be added did not prove itself.',
  },
} as const;

export type ProblemCode = keyof typeof problems;

/** One fault of an input: where it is, what is wrong with it, and what to do about it. */
export interface Fault {
  readonly field: string;
  readonly message: string;
  /** Stable, where there is one: by it a console says the same in another language. */
  readonly code?: string;
  /** What the sentence of the code is filled with. */
  readonly parameters?: Readonly<Record<string, string | number>>;
  /** The file it is about, where the field is not its name. */
  readonly file?: string;
}

export interface ProblemDetails {
  /** The input field at fault, as the caller names it. */
  readonly field?: string;
  /** Which of several reasons, where a code has more than one that a program wants to tell apart: `not_public`. */
  readonly reason?: string | undefined;
  /** What the sentence of the reason is filled with, for those who say it in another language. Never a secret. */
  readonly parameters?: Readonly<Record<string, string | number>>;
  /** A whole sentence: what is wrong and what to do. Never contains a secret. */
  readonly detail?: string;
  readonly faults?: readonly Fault[];
  readonly retryAfterSeconds?: number;
  readonly cause?: unknown;
}

/** An error meant for the caller. Whatever else is thrown is a fault of ours: status 500, and no detail leaves. */
export class Problem extends Error {
  readonly code: ProblemCode;
  readonly status: number;
  readonly field: string | undefined;
  readonly reason: string | undefined;
  readonly parameters: Readonly<Record<string, string | number>>;
  readonly faults: readonly Fault[];
  readonly retryAfterSeconds: number | undefined;

  constructor(code: ProblemCode, details: ProblemDetails = {}) {
    super(details.detail ?? problems[code].title, { cause: details.cause });
    this.name = 'Problem';
    this.code = code;
    this.status = problems[code].status;
    this.field = details.field;
    this.reason = details.reason;
    this.parameters = details.parameters ?? {};
    this.faults = details.faults ?? [];
    this.retryAfterSeconds = details.retryAfterSeconds;
  }
}
