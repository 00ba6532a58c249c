import type { ReactNode } from 'react';

interface FactProps {
  readonly name: string;
  /** Of the value. */
  readonly className?: string;
  readonly children: ReactNode;
}

/** A name and a value in a `<dl className="facts">`. */
export function Fact({ name, className, children }: FactProps) {
  return (
    <div>
      <dt>{name}</dt>
      <dd className={className}>{children}</dd>
    </div>
  );
}
