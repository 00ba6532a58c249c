import { auditFaultTexts } from './audit-fault-texts-zh-cn.ts';
import { certificateFaultTexts } from './certificate-fault-texts-zh-cn.ts';
import { doctorFindingTexts } from './doctor-finding-texts-zh-cn.ts';
import { inputRuleTexts } from './input-rule-texts-zh-cn.ts';
import { problemReasonTexts } from './problem-reason-texts-zh-cn.ts';
import { urlFaultTexts } from './url-fault-texts-zh-cn.ts';

/**
 * What the server says in English, by its codes, their reasons and the names of its inputs. There is no such file for
 * English: there the words of the server are shown as they come.
 */
export const serverTexts = {
  auditFaults: auditFaultTexts,
  certificateFaults: certificateFaultTexts,
  certificateWithSerial: '（序列号 {{serial}}）',
  doctorFindings: doctorFindingTexts,
  inputOfSeveral: { rule: '第 {{place}} 项：{{rule}}' },
  inputRules: inputRuleTexts,
  /** Joined to those of the first page. */
  problemReasons: problemReasonTexts,
  urlFaults: urlFaultTexts,
} as const;
