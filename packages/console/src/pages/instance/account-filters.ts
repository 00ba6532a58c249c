/** What the list of people is narrowed down to, as it stands in the page's address. Pure. */

export interface AccountFilters {
  /** The whole mail address. */
  readonly email?: string;
  readonly operator?: boolean;
}

/** Reads an address that people may have changed; what makes no sense is left out. */
export function accountFilters({ email, operator }: Readonly<Record<string, unknown>>): AccountFilters {
  return {
    ...(typeof email === 'string' && email.trim() !== '' && { email: email.trim().slice(0, 254) }),
    ...((operator === true || operator === 'true') && { operator: true }),
    ...((operator === false || operator === 'false') && { operator: false }),
  };
}
