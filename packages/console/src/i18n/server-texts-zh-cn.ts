import { alertNoticeTexts } from './alert-notice-texts-zh-cn.ts';
import { auditFaultTexts } from './audit-fault-texts-zh-cn.ts';
import { carrierFaultTexts } from './carrier-fault-texts-zh-cn.ts';
import { certificateFaultTexts } from './certificate-fault-texts-zh-cn.ts';
import { doctorFindingTexts } from './doctor-finding-texts-zh-cn.ts';
import { inputRuleTexts } from './input-rule-texts-zh-cn.ts';
import { problemReasonTexts } from './problem-reason-texts-zh-cn.ts';
import { sendingFailureTexts } from './sending-failure-texts-zh-cn.ts';
import { urlFaultTexts } from './url-fault-texts-zh-cn.ts';

/**
 * The server's English messages in Chinese, by code, reason and input. English has no such file: it shows the server's
 * words.
 */
export const serverTexts = {
  alertNotices: alertNoticeTexts,
  auditFaults: auditFaultTexts,
  carrierFaults: carrierFaultTexts,
  certificateFaults: certificateFaultTexts,
  certificateWithSerial: '（序列号 {{serial}}）',
  doctorFindings: doctorFindingTexts,
  inputOfSeveral: { rule: '第 {{place}} 项：{{rule}}' },
  inputRules: inputRuleTexts,
  /** Joined to those of the first page. */
  problemReasons: problemReasonTexts,
  sendingFailures: sendingFailureTexts,
  urlFaults: urlFaultTexts,
} as const;
