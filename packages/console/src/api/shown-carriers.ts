/** Types of what the API answers about carriers. */
import type { AnswerOf } from '@waxwing/contract/management-api/operation.ts';
import type { listCarriers } from '@waxwing/contract/management-api/operations/carrier-operations.ts';
import type {
  showCarrier,
  testCarrier,
} from '@waxwing/contract/management-api/operations/carrier-setting-operations.ts';
import type { ItemOf } from './shown-things.ts';

export type ListedCarrier = ItemOf<typeof listCarriers>;
/** One that an operator has set up, with its settings. */
export type Carrier = AnswerOf<typeof showCarrier>;
export type TestedCarrier = AnswerOf<typeof testCarrier>;
