/** Days, today among them, whose renewals are counted. In a file of its own: the console has no schemas. */
export const renewalDays = 90;
