import type { CodeInOrder, CodeWithRemedy } from '@waxwing/contract/management-api/doctor-findings.ts';

interface TextWithRemedy {
  readonly message: string;
  readonly remedy: string;
}

type DoctorFindingTexts = Readonly<Record<CodeInOrder, Pick<TextWithRemedy, 'message'>>> &
  Readonly<Record<CodeWithRemedy, TextWithRemedy>>;

/** The doctor's findings and their remedies. */
export const doctorFindingTexts: DoctorFindingTexts = {
  settings_accepted: { message: '所有配置项均有效。' },
  data_folder_private: { message: '数据目录 {{folder}} 仅其所有者可以访问。' },
  disk_space_enough: { message: '{{folder}} 所在磁盘剩余空间 {{mebibytes}} MiB。' },
  master_key_readable: { message: '主密钥文件 {{file}} 中有 {{keys}} 个密钥，且仅其所有者可以读取。' },
  listener_on_loopback: { message: '可以监听 {{host}} 端口 {{port}}（回环地址）。' },
  listener_with_tls: { message: '可以监听 {{host}} 端口 {{port}}（已启用 TLS）。' },
  listener_behind_trusted_proxies: { message: '可以监听 {{host}} 端口 {{port}}（位于可信代理之后）。' },
  own_certificate_valid: { message: '服务自身的证书 {{file}} 有效期至 {{until}}。' },
  server_not_running: { message: '没有服务正在使用数据目录 {{folder}}。' },
  server_running: { message: '服务正在数据目录 {{folder}} 上运行，版本 {{version}}。' },
  schema_current: { message: '数据库结构版本为 {{schema}}，是当前程序支持的最新版本。' },
  database_sound: { message: '{{server}} 检查数据库，未发现问题。' },
  sealed_secrets_open: { message: '全部 {{sealed}} 项加密保存的机密均可解密。' },
  audit_trail_unbroken: { message: '{{entries}} 条审计记录校验通过，链头为 {{link}}:{{mac}}。' },
  certificates_not_expiring: { message: '{{count}} 张证书中，没有已过期或将在 14 天内过期的。' },
  orders_succeeding: { message: '{{count}} 张证书由本服务签发，最近一次订单没有失败的。' },
  allow_lists_in_order: { message: '{{count}} 个部署中，IP 白名单没有为空或对所有地址开放的。' },
  clock_plausible: { message: '没有任何记录的时间晚于本服务器的时钟。' },
  push_receivers_answering: { message: '{{count}} 个推送接收方中，没有不应答的，也没有放弃推送的。' },
  alerts_arriving: { message: '{{count}} 个告警渠道已启用，最近一次发送都已送达。' },

  check_impossible: {
    message: '此项无法检查：{{fault}}',
    remedy: '请先处理该问题，然后重新检查。',
  },
  setting_refused: {
    message: '配置项 {{setting}} 无效：{{fault}}。',
    remedy: '请更正该配置项。',
  },
  data_folder_missing: {
    message: '数据目录 {{folder}} 尚不存在。',
    remedy: '请启动服务，或将 WAXWING_DATA 设为数据所在的目录。',
  },
  data_folder_not_a_folder: {
    message: '{{folder}} 不是目录。',
    remedy: '请将 WAXWING_DATA 设为一个目录。',
  },
  data_folder_not_writable: {
    message: '数据目录 {{folder}} 无法使用：{{fault}}。',
    remedy: '请让运行服务的系统账号可以写入该目录，或将 WAXWING_DATA 设为其他目录。',
  },
  data_folder_open_to_others: {
    message: '数据目录 {{folder}} 对其他系统账号开放（权限 {{mode}}）。',
    remedy: '请执行：chmod 700 {{folder}}',
  },
  disk_space_short: {
    message: '{{folder}} 所在磁盘剩余空间仅 {{mebibytes}} MiB。',
    remedy: '请清理出空间：空间耗尽后无法写入记录，证书和私钥也将停止下发。',
  },
  disk_space_unknown: {
    message: '无法读取剩余空间：{{fault}}。',
    remedy: '请检查 WAXWING_DATA 指定的目录是否存在。',
  },
  master_key_missing: {
    message: '主密钥文件 {{file}} 不存在。',
    remedy: '请从备份恢复；全新的实例会在启动时自动生成。',
  },
  master_key_unreadable: {
    message: '主密钥文件无法读取：{{fault}}',
    remedy: '请确认运行服务的系统账号可以读取该文件。',
  },
  master_key_open_to_others: {
    message: '主密钥文件 {{file}} 对其他系统账号开放（权限 {{mode}}），因此不会被使用。',
    remedy: '请执行：chmod 600 {{file}}',
  },
  master_key_unusable: {
    message: '主密钥文件无法使用：{{fault}}',
    remedy: '请从备份恢复。',
  },
  master_key_beside_database: {
    message: '主密钥与数据库位于同一目录：复制该目录即可同时取得两者。',
    remedy: '请将主密钥移至数据库备份不包含的其他目录，并在 WAXWING_MASTER_KEY_FILE 中指定其路径。',
  },
  listener_refused: {
    message: '按当前的 WAXWING_LISTEN，服务将拒绝启动。',
    remedy:
      '{{host}} 不是回环地址，私钥会以明文传出。请设置 WAXWING_TLS_CERTIFICATE 和 WAXWING_TLS_KEY，或在 WAXWING_TRUSTED_PROXIES 中指定前置的反向代理，或改为监听 127.0.0.1；设置 WAXWING_PLAIN_HTTP=allow 表示接受此风险。',
  },
  listener_unusable: {
    message: '无法监听：{{fault}}',
    remedy: '请停止占用该端口的程序，或改用其他地址。',
  },
  listener_plain_http: {
    message: '{{host}} 端口 {{port}} 未启用 TLS 即接受来自网络的请求：私钥以明文传输。',
    remedy: '请设置 WAXWING_TLS_CERTIFICATE 和 WAXWING_TLS_KEY。',
  },
  own_certificate_expiring: {
    message: '服务自身的证书 {{file}} 即将过期，有效期至 {{until}}。',
    remedy: '请更新 {{file}}，服务会自动重新读取。',
  },
  own_certificate_expired: {
    message: '服务自身的证书 {{file}} 已过期，有效期至 {{until}}。',
    remedy: '请更新 {{file}}，服务会自动重新读取。',
  },
  own_certificate_unusable: {
    message: '服务自身的证书无法使用：{{fault}}。',
    remedy: '请更正 WAXWING_TLS_CERTIFICATE 和 WAXWING_TLS_KEY。',
  },
  own_key_open_to_others: {
    message: '所有系统账号都可以读取私钥文件 {{file}}。',
    remedy: '请执行：chmod 600 {{file}}',
  },
  server_unreachable: {
    message: '无法询问正在运行的服务：{{fault}}',
    remedy: '请先处理该问题，然后重新检查。',
  },
  control_socket_obstructed: {
    message: '{{file}} 不是套接字，占用了其位置，服务无法启动。',
    remedy: '请将它移到别处。',
  },
  workers_faulty: {
    message: '服务的部分后台任务异常：{{faults}}。',
    remedy: '详情请查看服务日志。',
  },
  forwarded_headers_untrusted: {
    message: '有 {{requests}} 个请求由本机转发而来，但未配置可信代理：所有客户端都显示为 127.0.0.1。',
    remedy: '请将 WAXWING_TRUSTED_PROXIES 设为前置代理的地址。',
  },
  database_missing: {
    message: '数据库尚不存在。',
    remedy: '请启动服务，数据库会自动创建。',
  },
  database_lost: {
    message: '没有数据库，或数据库为空，但主密钥文件 {{file}} 已存在：如果这不是新实例，说明数据库在别处。',
    remedy:
      '请挂载数据盘、更正 WAXWING_DATA 或 WAXWING_DATABASE_URL，或恢复最近的备份。如确需用该密钥建立新实例，请执行：waxwing migrate --new',
  },
  database_not_opened: {
    message: '无法打开数据库：{{fault}}',
    remedy: '请处理该问题，然后重新检查。',
  },
  database_unreachable: {
    message: '数据库没有响应：{{fault}}。以下各项未检查：{{looks}}。',
    remedy: '请先处理该问题，然后重新检查。',
  },
  database_file_moved: {
    message: '数据库文件 {{file}} 在服务运行期间被移走或替换：服务仍在写入原来的文件。',
    remedy: '请停止服务，然后将所需的数据库（如有 -wal 文件，一并）放到该位置，再启动服务。',
  },
  database_log_orphaned: {
    message: '发现没有对应数据库的预写日志，其中可能包含整个数据库的内容：{{files}}。',
    remedy: '请先将其复制到其他目录，再进行任何操作；确认数据无缺失后再删除。',
  },
  schema_outdated: {
    message: '数据库结构版本为 {{schema}}，当前程序需要 {{needed}}。',
    remedy: '请执行：waxwing migrate',
  },
  database_damaged: {
    message: '{{server}} 检查发现数据库已损坏，问题包括：{{faults}}。',
    remedy: '请停止服务，保留一份数据库副本，然后恢复最近的备份。',
  },
  sealed_secrets_unopened: {
    message: '{{sealed}} 项加密保存的机密中有 {{count}} 项无法解密，包括：{{faults}}。',
    remedy: '请从备份恢复主密钥文件或数据库，使两者属于同一时间。',
  },
  audit_trail_broken: {
    message: '审计日志不完整，存在问题的记录序号包括：{{links}}。在审计日志页面执行校验可查看具体问题。',
    remedy: '请原样保留一份数据库副本，并查明哪些人曾有权访问数据库。',
  },
  certificates_withheld: {
    message: '{{count}} 张证书的当前版本已吊销，不再下发，包括：{{certificates}}。',
    remedy: '请用“waxwing certificate import --onto ID”导入新版本，或吊销不再使用的证书。',
  },
  certificates_expired_deployed: {
    message: '{{count}} 张证书已过期，但仍在下发给服务器，包括：{{certificates}}。',
    remedy: '请用“waxwing certificate import --onto ID”导入新版本，或吊销不再使用的证书。',
  },
  certificates_expired: {
    message: '{{count}} 张证书已过期，包括：{{certificates}}。',
    remedy: '请用“waxwing certificate import --onto ID”导入新版本，或吊销不再使用的证书。',
  },
  certificates_expiring: {
    message: '{{count}} 张证书将在 14 天内过期，包括：{{certificates}}。',
    remedy: '请用“waxwing certificate import --onto ID”导入新版本，或吊销不再使用的证书。',
  },
  deployments_admitting_nobody: {
    message: '{{count}} 个部署的 IP 白名单为空，不允许任何地址获取，包括：{{deployments}}。',
    remedy: '请用“waxwing deployment update ID --allow CIDR”指定允许的服务器。',
  },
  deployments_admitting_everybody: {
    message: '{{count}} 个部署对所有地址开放，仅凭 API 密钥即可获取，包括：{{deployments}}。',
    remedy: '请用“waxwing deployment update ID --allow CIDR”指定允许的服务器。',
  },
  clock_apart: {
    message: '本服务器与数据库的时钟相差 {{seconds}} 秒。',
    remedy: '请校准本机或数据库所在机器的时钟，并用 chrony 等时间服务保持同步。',
  },
  clock_set_back: {
    message: '审计日志中有一条 {{latest}} 的记录，晚于当前时间：本机时钟被往回调过，或此前走快了。',
    remedy: '请校准本机时钟，并用 chrony 等时间服务保持同步。',
  },
  push_receivers_silent: {
    message: '{{count}} 个推送接收方不应答，或有推送已等待超过一小时，包括：{{settings}}。',
    remedy: '请用“waxwing push-setting test”查看一次推送的结果；接收方恢复应答后，等待中的推送会自动发出。',
  },
  orders_failing: {
    message: '{{count}} 张证书最近一次签发或续期失败，包括：{{certificates}}。',
    remedy:
      '请用“waxwing certificate progress”查看证书颁发机构的答复；排除原因后运行“waxwing certificate request-again”。',
  },
  alert_channel_missing: {
    message: '实例没有启用的告警渠道：磁盘、备份、时钟的告警，以及没有告警渠道的组织的告警，都不会送达任何人。',
    remedy: '请用“waxwing alert-channel create --instance”创建一个，再用“waxwing alert-channel test”试发。',
  },
  alert_mail_server_missing: {
    message: '没有配置邮件服务器，{{count}} 个邮件告警渠道不会送达任何人，包括：{{channels}}。',
    remedy: '请设置 WAXWING_SMTP_URL 和 WAXWING_MAIL_FROM。',
  },
  alert_channels_failing: {
    message: '{{count}} 个告警渠道最近一次发送失败，包括：{{channels}}。',
    remedy: '请用“waxwing alert-channel test”查看接收方的答复；“waxwing alert list”列出发送失败的告警。',
  },
  pushes_failed: {
    message: '最近 24 小时内放弃了 {{count}} 次推送，涉及：{{settings}}。',
    remedy: '请用“waxwing push list”查看原因，并用“waxwing push resend”重新推送。',
  },
};
