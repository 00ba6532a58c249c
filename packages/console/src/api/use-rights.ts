import { type Query, useQueryClient } from '@tanstack/react-query';
import { showMe } from '@waxwing/contract/management-api/operations/account-operations.ts';
import { useEffect, useRef } from 'react';
import { useApi } from './api-context.tsx';
import { meQuery } from './me.ts';
import { readAgain } from './read-again.ts';
import { rightsChange } from './rights-change.ts';
import { useMe } from './use-me.ts';

/** Tells the other tabs who is signed in: they share the session's cookie. */
const personKey = 'waxwing.person';

const isOfOthers = ({ queryKey }: Query) => queryKey[0] !== showMe.tag;

/** Removes what the person may no longer see, also when another person has signed in. */
export function useRights(): void {
  const client = useQueryClient();
  const api = useApi();
  const me = useMe();
  const former = useRef(me);

  useEffect(() => {
    const change = rightsChange(former.current, me);
    former.current = me;
    // A new document: no data of the former person stays in memory.
    if (change === 'other-person') location.reload();
    if (change === 'less') void client.resetQueries({ predicate: isOfOthers });
    if (change === 'other-rights') void readAgain(client, { predicate: isOfOthers });
  }, [client, me]);

  useEffect(() => {
    localStorage.setItem(personKey, me.id);
    const hear = ({ key, newValue }: StorageEvent) => {
      if (key !== personKey || newValue === me.id) return;
      void client.invalidateQueries({ queryKey: meQuery(api).queryKey });
    };
    addEventListener('storage', hear);
    return () => removeEventListener('storage', hear);
  }, [client, api, me.id]);
}
