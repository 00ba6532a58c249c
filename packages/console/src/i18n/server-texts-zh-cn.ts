import { auditFaultTexts } from './audit-fault-texts-zh-cn.ts';
import { certificateFaultTexts } from './certificate-fault-texts-zh-cn.ts';
import { doctorFindingTexts } from './doctor-finding-texts-zh-cn.ts';

/**
 * What the server says in English, by its codes. There is no such file for English: there the words of the server are
 * shown as they come.
 */
export const serverTexts = {
  auditFaults: auditFaultTexts,
  certificateFaults: certificateFaultTexts,
  certificateWithSerial: '（序列号 {{serial}}）',
  doctorFindings: doctorFindingTexts,
} as const;
