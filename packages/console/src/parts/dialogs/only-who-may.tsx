import { useParams } from '@tanstack/react-router';
import type { Operation } from '@waxwing/contract/management-api/operation.ts';
import type { ComponentType } from 'react';
import { ApiProblem } from '../../api/api-problem.ts';
import { useMay } from '../../api/use-me.ts';
import { ProblemAlert } from '../text/problem-alert.tsx';

/** A page for people who may do this. Others who open its address are told that they may not. */
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
