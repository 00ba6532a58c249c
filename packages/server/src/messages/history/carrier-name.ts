/** The names of carriers by their ids, also of deleted ones. */
export type CarrierNames = ReadonlyMap<string, string>;

export type ReadCarrierNames = () => Promise<CarrierNames>;

/** The simulator has no other name than its id. */
export function carrierName<Id extends string | null>(id: Id, names: CarrierNames): Id | string {
  return id === null ? id : (names.get(id) ?? id);
}
