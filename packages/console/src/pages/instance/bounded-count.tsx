/** As far as the server counts a backlog. */
const most = 10_000;

/** A count that stops at a bound. */
export function BoundedCount({ count }: { readonly count: number }) {
  return (
    <span className="figures">
      {count.toLocaleString('en')}
      {count >= most && '+'}
    </span>
  );
}
