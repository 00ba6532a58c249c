import type { AlertNotice } from '@waxwing/contract/management-api/alert-notices.ts';

interface NoticeTexts {
  readonly subject: string;
  readonly detail: string;
}

/** What alerts tell. */
export const alertNoticeTexts: Readonly<Record<AlertNotice, NoticeTexts>> = {
  certificate_expiring: {
    subject: '证书 {{certificate}} 将在 {{days}} 天内过期',
    detail: '有效期至 {{until}}，尚未续期。正在使用它的部署：{{deployments}} 个。',
  },
  certificate_expired: {
    subject: '证书 {{certificate}} 已过期',
    detail: '已于 {{until}} 过期，仍未续期。正在使用它的部署：{{deployments}} 个。',
  },
  certificate_expiring_resolved: {
    subject: '证书 {{certificate}} 不再临近过期',
    detail: '它已续期、吊销或删除。',
  },
  issuance_failed: {
    subject: '证书 {{certificate}} 签发失败',
    detail: '失败的订单：{{attempts}} 个。最近一次的原因：“{{words}}”。',
  },
  issuance_failed_resolved: {
    subject: '证书 {{certificate}} 的签发不再失败',
    detail: '它已签发、吊销或删除。',
  },
  renewal_failed: {
    subject: '证书 {{certificate}} 续期失败',
    detail: '当前版本的有效期至 {{until}}。失败的订单：{{attempts}} 个。最近一次的原因：“{{words}}”。',
  },
  renewal_failed_resolved: {
    subject: '证书 {{certificate}} 的续期不再失败',
    detail: '它已续期、吊销或删除。',
  },
  rollout_complete: {
    subject: '证书 {{certificate}} 的版本 {{version}} 已到达全部服务器',
    detail: '启用的部署均已获取：{{deployments}} 个。',
  },
  deployment_outdated: {
    subject: '部署 {{deployment}} 没有获取证书 {{certificate}} 的当前版本',
    detail: '该版本自 {{since}} 起为当前版本，服务器至今没有获取它。',
  },
  deployment_outdated_resolved: {
    subject: '部署 {{deployment}} 不再落后',
    detail: '它已获取证书 {{certificate}} 的当前版本，或已停用、删除。',
  },
  push_failing_status: {
    subject: '发往 {{host}} 的状态报告推送持续失败',
    detail: '自 {{since}} 起没有一次应答为状态码 200。在“推送设置”中发送测试推送，可以查看原因。',
  },
  push_failing_uplink: {
    subject: '发往 {{host}} 的上行短信推送持续失败',
    detail: '自 {{since}} 起没有一次应答为状态码 200。在“推送设置”中发送测试推送，可以查看原因。',
  },
  push_failing_status_resolved: {
    subject: '发往 {{host}} 的状态报告推送已恢复',
    detail: '已有推送应答为状态码 200，或推送设置已修改、关闭。',
  },
  push_failing_uplink_resolved: {
    subject: '发往 {{host}} 的上行短信推送已恢复',
    detail: '已有推送应答为状态码 200，或推送设置已修改、关闭。',
  },
  carrier_down: {
    subject: '通道 {{carrier}} 没有可用连接',
    detail: '自 {{since}} 起没有连接可以提交短信。最近的错误：“{{words}}”。',
  },
  carrier_down_silent: {
    subject: '通道 {{carrier}} 没有可用连接',
    detail: '自 {{since}} 起没有连接可以提交短信，也没有错误记录。请检查是否有服务器在运行。',
  },
  carrier_refused: {
    subject: '通道 {{carrier}} 拒绝登录',
    detail: '自 {{since}} 起没有连接可以提交短信。最近的错误：“{{words}}”。请检查账号和密码。',
  },
  carrier_down_resolved: {
    subject: '通道 {{carrier}} 已恢复',
    detail: '已重新建立连接，或通道已停用、删除。',
  },
  instance_disk: {
    subject: '服务器 {{server}} 的磁盘即将写满',
    detail: '数据目录所在的磁盘只剩 {{percent}}%（{{mebibytes}} MiB）。',
  },
  instance_disk_resolved: {
    subject: '服务器 {{server}} 的磁盘空间已恢复',
    detail: '数据目录所在的磁盘剩余空间已超过十分之一，或该服务器已不再运行。',
  },
  instance_backup_old: {
    subject: '最近一次备份已超过计划的间隔',
    detail: '最近一次备份于 {{at}}，按计划不应早于 {{planned}} 之前。',
  },
  instance_backup_none: {
    subject: '还没有任何备份',
    detail: '按计划，最近一次备份不应早于 {{planned}} 之前。',
  },
  instance_backup_resolved: {
    subject: '备份已恢复正常',
    detail: '已完成新的备份，或不再有备份计划。',
  },
  instance_clock: {
    subject: '服务器 {{server}} 的时钟不准',
    detail: '它与数据库的时钟相差 {{seconds}} 秒。',
  },
  instance_clock_resolved: {
    subject: '服务器 {{server}} 的时钟已恢复准确',
    detail: '它与数据库的时钟一致，或该服务器已不再运行。',
  },
};
