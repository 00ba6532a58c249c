/**
 * Every error for callers: HTTP status, text of the retrieval envelope (given texts are fixed by the interface), and
 * the English sentence for people and for docs/errors.md.
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
  route_not_found: { status: 404, message: '接口不存在', title: 'Nothing exists at this path.' },
  method_not_allowed: {
    status: 405,
    message: '不支持的请求方法',
    title: 'The path exists, but not for this method.',
  },
  too_many_requests: { status: 429, message: '请求过于频繁', title: 'Too many requests; see Retry-After.' },
  service_unavailable: {
    status: 503,
    message: '服务暂不可用',
    title: 'The service cannot answer at the moment; see Retry-After.',
  },
  internal_error: { status: 500, message: '服务器内部错误', title: 'An unexpected fault. Its cause is in the log.' },
  not_found: { status: 404, message: '未找到', title: 'There is no such object.' },
  idempotency_conflict: {
    status: 409,
    message: '幂等键冲突',
    title: 'The Idempotency-Key belongs to another request.',
  },
  cursor_expired: {
    status: 410,
    message: '游标已过期',
    title: 'Events after this cursor have been removed. Begin again without one.',
  },
  conflict: { status: 409, message: '状态冲突', title: 'The object is not in a state that allows this.' },
  unauthenticated: {
    status: 401,
    message: '未登录',
    title: 'The request has no valid session and no management key.',
  },
  role_not_permitted: { status: 403, message: '权限不足', title: 'The role of the person or key does not allow this.' },
  reauthentication_required: {
    status: 403,
    message: '需要重新验证身份',
    title: 'This needs a sign-in or a confirmed identity of the last five minutes.',
  },
  origin_not_allowed: {
    status: 403,
    message: '请求来源不被允许',
    title: 'A change by a session must come from the pages of this instance.',
  },
  precondition_required: {
    status: 428,
    message: '缺少前提条件',
    title: 'This change needs If-Match with the current ETag.',
  },
  precondition_failed: {
    status: 412,
    message: '前提条件不满足',
    title: 'It has changed since it was read. Read it again.',
  },
  certificate_rejected: {
    status: 422,
    message: '证书未被接受',
    title: 'The certificate material was not accepted. Every fault is listed, and nothing was stored.',
  },
  certificate_exists: {
    status: 409,
    message: '证书已存在',
    title:
      'A certificate has these names: its id is a parameter. Import as its next version (`onto`) or as a separate certificate.',
  },
  names_lost: {
    status: 409,
    message: '将失去域名',
    title: 'Enabled deployments would lose names, and this was not confirmed.',
  },
  wrong_credentials: {
    status: 401,
    message: '凭证错误',
    title: 'The email, password, code or passkey is wrong.',
  },
  sign_in_expired: {
    status: 401,
    message: '登录步骤已过期',
    title: 'This sign-in step has expired or was used before. Begin again.',
  },
  sso_refused: {
    status: 403,
    message: '单点登录被拒绝',
    title: 'The identity provider did not confirm a person who may sign in here.',
  },
  link_expired: {
    status: 410,
    message: '链接已失效',
    title: 'The one-time link is unknown, used or expired. Ask for another one.',
  },
  password_rejected: {
    status: 422,
    message: '密码未被接受',
    title: 'The new password was refused. The detail says why.',
  },
  factor_rejected: {
    status: 422,
    message: '验证方式未被接受',
    title: 'The new second factor or passkey could not be confirmed.',
  },
} as const;

export type ProblemCode = keyof typeof problems;

/** One fault of an input: where it is, what is wrong, and what to do. */
export interface Fault {
  readonly field: string;
  readonly message: string;
  /** Stable, if present. The console translates it. */
  readonly code?: string;
  /** The values for the placeholders of the code's sentence. */
  readonly parameters?: Readonly<Record<string, string | number>>;
  /** The file, if the field is not its name. */
  readonly file?: string;
}

interface ProblemDetails {
  /** The input field, in the caller's terms. */
  readonly field?: string;
  /** One of the code's reasons, for programs: `not_public`. */
  readonly reason?: string | undefined;
  /** The values in the reason's sentence, for translations. Never a secret. */
  readonly parameters?: Readonly<Record<string, string | number>>;
  /** A whole sentence: what is wrong and what to do. Never a secret. */
  readonly detail?: string;
  readonly faults?: readonly Fault[];
  readonly retryAfterSeconds?: number;
  readonly cause?: unknown;
}

/** An error for the caller. Any other error is the server's fault: status 500 without detail. */
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

/**
 * A thing that is not there, also when it was deleted while it was being changed: then the change is rolled back.
 * @param noun as commands name it, such as `messaging key`
 * @throws Problem `not_found`, naming the noun, or `field`
 */
export function absent(noun: string, id: string, field = noun.replaceAll(' ', '_')): never {
  const command = noun.replaceAll(' ', '-');
  throw new Problem('not_found', {
    field,
    detail: `There is no ${noun} ${id}. "${command} list" shows those there are.`,
  });
}
