/** Why something is refused, by the code of the problem and its reason; what the first page needs is in a file of its own. */
export const problemReasonTexts = {
  conflict: {
    // People and how they sign in.
    last_owner: '这是组织的最后一位所有者。请先将另一位成员设为所有者。',
    last_way_in: '这是最后一种登录方式。请先设置密码。',
    own_account: '不能停用自己的账号，须由其他运维人员操作。',
    already_member: '{{email}} 已是成员。',
    already_operator: '{{email}} 已是运维人员。如果对方无法登录，请为其重置登录。',
    account_disabled: '账号 {{email}} 已停用，请先启用。',
    no_second_factor: '恢复码用于代替两步验证方式。请先添加一种。',
    totp_present: '已有身份验证器应用。请先将其移除。',
    totp_not_begun: '没有等待确认的身份验证器应用。请重新添加。',
    passkeys_need_name:
      '通行密钥要求实例的基础地址（WAXWING_BASE_URL）使用域名，浏览器不接受 IP 地址 {{host}}。请联系运维人员。',
    too_many_passkeys: '最多 {{most}} 个通行密钥。请先移除一个。',
    // Organizations.
    organization_not_empty:
      '组织不为空（{{left}}）。请先删除其中的证书、密钥和入站号码；消息与推送记录到期后会自动清除。',
    name_taken: '名为“{{name}}”的组织已存在，请换一个名称。',
    organization_suspended: '组织已停用，不能发送短信。请联系运维人员恢复。',
    // Certificates.
    not_issued: '只能为已签发的证书导入新版本。请改为导入为新证书。',
    certificate_deployed: '此证书还有 {{count}} 个部署，请先删除它们。',
    authority_name_taken: '名为“{{name}}”的证书颁发机构已存在，请换一个名称。',
    authority_in_use:
      '仍有 {{count}} 个证书由此颁发机构续期：{{names}}。请先删除或吊销这些证书；如需使用其他目录地址，请另建颁发机构。',
    dns_provider_in_use: '仍有 {{count}} 个证书使用此 DNS 服务商续期：{{names}}。请先删除这些证书。',
    dns_provider_removing: '此 DNS 服务商仍在删除已删除证书的 {{count}} 条验证记录，请几分钟后再试。',
    too_many_dns_providers: 'DNS 服务商已达上限（{{most}} 个）。请先删除不再需要的。',
    not_requested: '此证书是导入的，不能在此续期。请导入新版本，或申请新证书。',
    request_revoked: '此证书已被吊销，不能续期。请申请新证书。',
    revocation_untold:
      '颁发机构 {{authority}} 尚未收到吊销通知（{{error}}），将于 {{until}} 再次通知。请在此之后删除证书。',
    ordered_too_often: '一小时内已为这些域名提交了 {{most}} 次订单，颁发机构对此有限制。请在 {{until}} 之后重试。',
    several_match: '“{{name}}”可能指其中的多个，请写出更完整的 ID。',
    nothing_to_hand_out: '此证书没有可下发的版本，无法部署。请先导入或签发。',
    certificate_revoked: '此证书已被吊销，无需再次吊销。',
    version_revoked: '此版本已被吊销，无需再次吊销。',
    certificate_not_issued: '此证书不是已签发状态，不能更换其版本。',
    version_not_issued: '此版本已被吊销，不能设为当前版本。请选择其他版本。',
    version_current: '此版本已是当前版本。',
    version_replaced: '证书的当前版本刚刚发生了变化，请重试。',
    chain_complete: '证书链没有缺失的中间证书，无需补全。',
    // Messages and pushes.
    carrier_name_taken: '名为“{{name}}”的短信通道已存在，请换一个名称。',
    carrier_has_routes: '仍有 {{count}} 个入站号码使用此短信通道，删除后将收不到回复。请先移除这些入站号码。',
    too_many_carriers: '短信通道已达上限（{{most}} 个）。请先删除不再需要的。',
    already_routed: '此通道的该号码或前缀已经添加，请在上行号码列表中查看。',
    too_many_words: '屏蔽词已达上限（{{most}} 个）。请先移除不再需要的。',
    push_waiting: '这条推送仍在等待，无需重发。',
    pushes_off: '此类推送已关闭。请先开启，再重发。',
    too_many_resends: '此类推送已有 {{most}} 项批量重发正在进行。请等待其中一项结束。',
    too_many_secrets:
      '已有 {{most}} 个旧签名密钥仍在签名，每个保留 24 小时。请等到 {{until}}，或先移除签名密钥：它们会立即全部停止签名。',
    no_url: '此类推送尚未填写 URL，请先填写。',
    url_not_accepted: '已保存的 URL 不再被接受，请重新填写。',
    setting_made_meanwhile: '其他人刚刚保存了此设置，请重试。',
    // Alerts.
    too_many_alert_channels: '告警渠道已达上限（{{most}} 个）。请先删除不再需要的。',
    // The instance.
    verification_under_way: '此节点正在校验审计日志，请等待其结束。',
    doctor_under_way: '此节点正在进行系统诊断，请等待其结束。',
  },
  certificate_exists: {
    same_names: '证书“{{name}}”（{{id}}）已包含相同的域名。请导入为它的新版本，或另存为独立证书。',
    more_names: '证书“{{name}}”（{{id}}）已包含这些域名以及其他域名。请导入为它的新版本，或另存为独立证书。',
    fewer_names: '证书“{{name}}”（{{id}}）已包含其中部分域名。请导入为它的新版本，或另存为独立证书。',
  },
  names_lost: {
    deployed: '“{{name}}”的新版本不再包含 {{names}}，而它有 {{count}} 个启用的部署。请核对后确认导入。',
  },
  factor_rejected: {
    wrong_code: '验证码不正确。请确认设备时间准确，待下一个验证码出现后重试。',
    passkey_not_proven: '通行密钥未通过验证，请重新添加。',
    passkey_in_use: '此通行密钥已被使用，请换一个。',
  },
} as const;
