import {
  carrierConditions,
  carrierLink,
  carrierLinkOptional,
  cmppSettings,
  smppOptionalSettings,
  smppSettings,
} from '@waxwing/contract/management-api/carrier-settings.ts';
import type * as contract from '@waxwing/contract/management-api/operations/carrier-setting-operations.ts';
import type { CarrierRow } from '../database/schema/carrier-tables.ts';

/** All that an operator has set of a carrier, but its secrets. */
export type CarrierSettings = contract.CarrierSettings;

type SettingName = keyof CarrierSettings;

const conditionNames = Object.keys(carrierConditions) as SettingName[];
/** Settings that only SMPP has, or only CMPP. */
export const smppNames: readonly SettingName[] = Object.keys({ ...smppSettings, ...smppOptionalSettings }) as [];
export const cmppNames: readonly SettingName[] = Object.keys(cmppSettings) as [];
const optionNames = [
  ...(Object.keys({ ...carrierLink, ...carrierLinkOptional }) as SettingName[]),
  ...smppNames,
  ...cmppNames,
];

/** The standard values of what was left out. Only those of its protocol; the rest is null. */
export function standardSettings(protocol: CarrierSettings['protocol']): Partial<CarrierSettings> {
  const missing = [...optionNames].map((name): [string, unknown] => [name, null]);
  const empty = conditionNames.map((name): [string, unknown] => [name, []]);
  const own = protocol === 'smpp' ? defaultsOf(smppSettings) : {};
  return { ...Object.fromEntries([...missing, ...empty]), priority: 1, weight: 1, ...defaultsOf(carrierLink), ...own };
}

function defaultsOf(schemas: Readonly<Record<string, object>>): Partial<CarrierSettings> {
  return Object.fromEntries(
    Object.entries(schemas).map(([name, schema]) => [name, (schema as { readonly default?: unknown }).default]),
  );
}

type SettingColumns = Pick<
  CarrierRow,
  'name' | 'protocol' | 'address' | 'account' | 'enabled' | 'priority' | 'weight' | 'conditions' | 'options'
>;

export function toColumns(settings: CarrierSettings): SettingColumns {
  const { name, protocol, address, account, priority, weight } = settings;
  const json = (names: readonly SettingName[]) =>
    JSON.stringify(Object.fromEntries(names.map((each) => [each, settings[each]])));
  return {
    ...{ name, protocol, address, account, priority, weight },
    enabled: settings.enabled ? 1 : 0,
    conditions: json(conditionNames),
    options: json(optionNames),
  };
}

export function toSettings(row: SettingColumns & Pick<CarrierRow, 'id'>): CarrierSettings {
  const { id, name, protocol, address, account, priority, weight } = row;
  return {
    ...{ id, name, protocol, address, account, priority, weight },
    enabled: row.enabled === 1,
    ...(JSON.parse(row.conditions) as Pick<CarrierSettings, 'for_prefix' | 'for_organization' | 'for_sender'>),
    ...(JSON.parse(row.options) as Omit<CarrierSettings, keyof CarrierRow>),
  } as CarrierSettings;
}
