import type { anyOrganization } from '@waxwing/contract/management-api/shared-schemas.ts';
import { filtersFrom, oneOf } from '../../parts/tables/list-filters.ts';

export type AlertFilters = ReturnType<typeof alertFilters>;

/** What operators narrow the list of all alerts down to. Pure. */
export const alertFilters = filtersFrom({ about: oneOf(['instance']) });

/** Operators see the alerts of all organizations: those without a channel are sent to them. */
export const everyOrganization = { organization_id: '-' satisfies typeof anyOrganization };
