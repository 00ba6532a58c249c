/** Why a URL for pushes or alerts is refused, by the reasons of the operation. */
export const urlFaultTexts = {
  malformed: '这不是有效的 URL。请填写形如 https://example.com/status 的地址，不能含有控制字符。',
  scheme: 'URL 必须以 https:// 或 http:// 开头。',
  user_info: 'URL 不得包含用户名或密码；需要时请把密钥放在查询参数中。',
  port: '端口无效，须为 1 至 65535。',
  host: 'URL 必须包含主机名，例如 example.com。',
  parameter:
    'URL 已含有每次请求自身要使用的参数（状态报告：batch_id、mobile、status、memo；上行短信：mobile、message；钉钉机器人：timestamp、sign），请改名或删除。',
  local_name: '{{host}} 指向本机；须使用公网地址。',
  unresolved: '域名 {{host}} 无法解析，请更正，或先在 DNS 中发布。',
  not_public:
    '{{host}} 不是公网地址，或解析到非公网地址。在封闭网络中，运维人员可用 WAXWING_PUSH_ALLOW_NETWORKS 放行。',
  own_address: '{{host}} 是本服务自己的地址；须发往其他服务器。',
} as const;
