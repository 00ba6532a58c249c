import { useParams } from '@tanstack/react-router';
import type { Operation } from '@waxwing/contract/management-api/operation.ts';
import type { ComponentType } from 'react';
import { ApiProblem } from '../api/api-problem.ts';
import { useMay } from '../api/use-me.ts';
import { ProblemAlert } from './problem-alert.tsx';

/** A page for those who may do this; anybody else who comes by its address is told so, and offered nothing. */
export function onlyWhoMay(operation: Pick<Operation, 'action'>, Page: ComponentType): ComponentType {
  return function PermittedPage() {
    const { organizationId } = useParams({ strict: false });
    const may = useMay(organizationId);
    return may(operation) ? (
      <Page />
    ) : (
      <ProblemAlert error={new ApiProblem({ code: 'role_not_permitted', status: 403 })} />
    );
  };
}
