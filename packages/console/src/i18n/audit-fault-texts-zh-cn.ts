import type { AuditFaultCode } from '@waxwing/contract/management-api/audit-faults.ts';

/** What a verification of the audit trail finds wrong at a link. */
export const auditFaultTexts: Readonly<Record<AuditFaultCode, string>> = {
  head_removed: '链头已被删除。',
  head_of_another_link: '链头与最后一个序号不符。',
  head_of_another_day: '链头的日期与链实际到达的日期不符。',
  chain_cut_off: '链到序号 {{end}} 为止，而链头为序号 {{head}}：末尾已被截断。',
  links_missing: '缺少序号 {{first}} 至 {{last}}。',
  link_changed: '此序号的记录、记录顺序或前一个序号被改动。',
  entries_miscounted: '应有 {{expected}} 条记录，实有 {{entries}} 条。',
  entries_without_link: '链中没有此序号，却存在属于它的记录。',
  rows_without_link: '链中没有此序号，却存在属于它的数据行。',
  summary_changed: '{{day}} 的汇总被改动。',
  summary_missing: '缺少 {{day}} 之前的汇总。',
  summary_out_of_sequence: '{{day}} 与前一天的链不衔接。',
  summary_of_other_links: '{{day}} 最后的序号与当天的汇总不符。',
  expected_head_removed: '填写的链头位于记录已到期清除的一天之内：对于这样的日期，只能核对当天结束时的链头。',
  expected_head_not_passed: '链未经过填写的链头。',
};
