import { useLocation } from '@tanstack/react-router';
import type { FormInstance } from 'antd';
import { useEffect, useState } from 'react';
import { useMe } from '../api/use-me.ts';
import { takeDraft, watchDraft } from './kept-draft.ts';

/**
 * What stood in the form when the session ended, for its `initialValues`; and watches over what is written now. Not for forms
 * with a secret.
 */
export function useKeptDraft<Values extends object>(form: FormInstance<Values>): Partial<Values> {
  const { id: personId } = useMe();
  const { pathname: page } = useLocation();
  const [draft] = useState(() => takeDraft({ page, personId }) as Partial<Values> | undefined);
  useEffect(() => watchDraft({ page, read: () => form.getFieldsValue() }), [page, form]);
  return draft ?? {};
}
