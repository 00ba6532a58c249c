import { useLocation } from '@tanstack/react-router';
import type { FormInstance } from 'antd';
import { useEffect, useState } from 'react';
import { useMe } from '../../api/use-me.ts';
import { takeDraft, watchDraft } from './kept-draft.ts';

/** A kept draft for the `initialValues` of a form, which is watched from now on. Not for forms with a secret. */
export function useKeptDraft<Values extends object>(form: FormInstance<Values>): Partial<Values> {
  const { id: personId } = useMe();
  const { pathname: page } = useLocation();
  const [draft] = useState(() => takeDraft({ page, personId }) as Partial<Values> | undefined);
  useEffect(() => watchDraft({ page, read: () => form.getFieldsValue() }), [page, form]);
  return draft ?? {};
}
