import assert from 'node:assert/strict';
import type { Clock } from '../runtime/clock.ts';
import type { ProblemCode } from '../runtime/problem.ts';
import { wire } from './wire.testing.ts';

/** Written here from the contract (§1 and §3), not from the code's tables. */
const errors: Partial<Record<ProblemCode, readonly [statusLine: string, message: string, challenge?: string]>> = {
  missing_token: ['401 Unauthorized', '缺少API密钥', 'www-authenticate: Bearer'],
  invalid_token: ['401 Unauthorized', '无效的API密钥', 'www-authenticate: Bearer error="invalid_token"'],
  token_not_permitted: ['403 Forbidden', '当前API密钥未授权访问'],
  address_not_allowed: ['403 Forbidden', '当前IP未授权访问'],
  certificate_not_found: ['404 Not Found', '未找到有效的证书'],
  invalid_download_type: ['400 Bad Request', '无效的下载类型'],
  invalid_request: ['400 Bad Request', '无效的请求'],
  invalid_parameter: ['400 Bad Request', '参数错误'],
  idempotency_conflict: ['409 Conflict', '幂等键冲突'],
  cursor_expired: ['410 Gone', '游标已过期'],
  not_found: ['404 Not Found', '未找到'],
  route_not_found: ['404 Not Found', '接口不存在'],
  method_not_allowed: ['405 Method Not Allowed', '不支持的请求方法'],
  too_many_requests: ['429 Too Many Requests', '请求过于频繁'],
  service_unavailable: ['503 Service Unavailable', '服务暂不可用'],
  internal_error: ['500 Internal Server Error', '服务器内部错误'],
};

/**
 * The whole answer to a refused request of a customer's server.
 * @param more headers that only this answer has, such as Allow
 */
export function refusal(code: ProblemCode, clock: Pick<Clock, 'now'>, ...more: readonly string[]): string {
  const [statusLine, message, challenge] = errors[code] ?? [];
  assert.ok(statusLine !== undefined, `the contract has no row for ${code}`);
  const body = `{"status":"error","message":"${message}","timestamp":${Math.floor(clock.now() / 1000)}}`;
  const headers = [
    'Content-Type: application/json; charset=utf-8',
    `Content-Length: ${Buffer.byteLength(body)}`,
    `Error-Code: ${code}`,
    'Cache-Control: private, no-store',
    'X-Content-Type-Options: nosniff',
    ...(challenge === undefined ? [] : [challenge]),
    ...more,
  ];
  return wire(statusLine, headers, body);
}
