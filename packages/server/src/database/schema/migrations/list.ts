import type { Migration } from '../migration.ts';
import { groundFloor } from './0001-ground-floor.ts';
import { push } from './0002-push.ts';
import { messages } from './0003-messages.ts';
import { accounts } from './0004-accounts.ts';
import { api } from './0005-api.ts';
import { pushMinutes } from './0006-push-minutes.ts';
import { certificateHandOuts } from './0007-certificate-hand-outs.ts';
import { nodeFigures } from './0008-node-figures.ts';
import { pushSwitch } from './0009-push-switch.ts';
import { auditIndexByLink } from './0010-audit-index-by-link.ts';
import { auditIndexRuns } from './0011-audit-index-runs.ts';
import { endedTokens } from './0012-ended-tokens.ts';
import { sealedPushQueries } from './0013-sealed-push-queries.ts';
import { certificateEnds } from './0014-certificate-ends.ts';
import { tokensMadeByKeys } from './0015-tokens-made-by-keys.ts';
import { listedNumbersWithoutZero } from './0016-listed-numbers-without-zero.ts';
import { auditIndexRows } from './0017-audit-index-rows.ts';
import { waitingPushesBySetting } from './0018-waiting-pushes-by-setting.ts';
import { certificateNames } from './0019-certificate-names.ts';
import { currentSince } from './0020-current-since.ts';
import { alerts } from './0021-alerts.ts';
import { issuedCertificates } from './0022-issued-certificates.ts';
import { carriers } from './0023-carriers.ts';
import { carrierLinks } from './0024-carrier-links.ts';

/** In order. A migration that has been released is frozen: a mistake is mended by the next one. */
export const migrations: readonly Migration[] = [
  groundFloor,
  push,
  messages,
  accounts,
  api,
  pushMinutes,
  certificateHandOuts,
  nodeFigures,
  pushSwitch,
  auditIndexByLink,
  auditIndexRuns,
  endedTokens,
  sealedPushQueries,
  certificateEnds,
  tokensMadeByKeys,
  listedNumbersWithoutZero,
  auditIndexRows,
  waitingPushesBySetting,
  certificateNames,
  currentSince,
  alerts,
  issuedCertificates,
  carriers,
  carrierLinks,
];
