/** The server counts a backlog no further. */
const most = 10_000;

export function BoundedCount({ count }: { readonly count: number }) {
  return (
    <span className="figures">
      {count.toLocaleString('en')}
      {count >= most && '+'}
    </span>
  );
}
