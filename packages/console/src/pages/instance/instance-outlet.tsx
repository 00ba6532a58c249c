import { Outlet } from '@tanstack/react-router';
import { useInstanceChanges } from '../../api/live-changes.tsx';

/** Around the pages of the instance. */
export function InstanceOutlet() {
  useInstanceChanges();
  return <Outlet />;
}
