import { Form, Skeleton } from 'antd';
import { type ReactNode, useEffect, useId, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Dialog } from '../dialogs/dialog.tsx';
import { ProblemAlert } from '../text/problem-alert.tsx';

interface FormModalProps<Values extends object> {
  readonly title: ReactNode;
  /** Its purpose, in a sentence or two. */
  readonly lead?: ReactNode;
  /** Makes the ids of the fields unique, where another form of the page has fields of the same names. */
  readonly name?: string;
  /** The text of the button; "Save" when left out. */
  readonly submit?: string;
  readonly width: number;
  readonly initialValues?: Partial<Values> | undefined;
  /** The version of the initial values. With another version the fields start again. */
  readonly revision?: string | undefined;
  /** Set while there is nothing to edit. Its error says why; null while it is being read. */
  readonly reading?: { readonly error: unknown } | undefined;
  /** The change that stores the values, as `useChange` gives it. */
  readonly saving: { readonly error: unknown; readonly isPending: boolean };
  readonly onSave: (values: Values) => void;
  readonly onEnd: () => void;
  readonly children: ReactNode;
}

/** A few fields in a dialog. Later changes of the page behind do not change what is being edited. */
export function FormModal<Values extends object>(props: FormModalProps<Values>) {
  const { t } = useTranslation();
  const { title, submit = t('common.save'), width, revision = '', reading, saving, onEnd } = props;
  const id = useId();
  return (
    <Dialog
      width={width}
      title={title}
      okText={submit}
      // The button stands outside of the form. By this it submits the form, also on Enter in a field.
      okButtonProps={{ htmlType: 'submit', form: id, disabled: reading !== undefined }}
      confirmLoading={saving.isPending}
      onCancel={onEnd}
    >
      {reading === undefined && <Fields key={revision} {...props} id={id} />}
      {reading !== undefined && (reading.error === null ? <Skeleton active /> : <ProblemAlert error={reading.error} />)}
    </Dialog>
  );
}

function Fields<Values extends object>(props: FormModalProps<Values> & { readonly id: string }) {
  const { id, lead, name, initialValues, saving, onSave, children } = props;
  const [openedWith] = useState(initialValues);
  const top = useRef<HTMLDivElement>(null);
  useEffect(() => {
    // The button of a long form stands far below its problem.
    if (saving.error !== null) top.current?.scrollIntoView({ block: 'start' });
  }, [saving.error]);
  return (
    <Form<Values>
      {...(name !== undefined && { name })}
      id={id}
      layout="vertical"
      scrollToFirstError={{ block: 'center', focus: true }}
      {...(openedWith !== undefined && { initialValues: openedWith })}
      onFinish={(values) => {
        if (!saving.isPending) onSave(values);
      }}
    >
      <div className="stack" ref={top}>
        {lead !== undefined && <p className="quiet">{lead}</p>}
        <ProblemAlert error={saving.error} />
        {children}
      </div>
    </Form>
  );
}
