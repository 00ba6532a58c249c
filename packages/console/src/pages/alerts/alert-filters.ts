import type { anyOrganization } from '@waxwing/contract/management-api/shared-schemas.ts';
import { filtersFrom, oneOf } from '../../parts/tables/list-filters.ts';

export type AlertFilters = ReturnType<typeof alertFilters>;

/** The filters by which operators narrow the list of all alerts. Pure. */
export const alertFilters = filtersFrom({ about: oneOf(['instance']) });

/** Operators see the alerts of all organizations: alerts of an organization without a channel are sent to operators. */
export const everyOrganization = { organization_id: '-' satisfies typeof anyOrganization };
