import { Form, Skeleton } from 'antd';
import { type ReactNode, useId, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Dialog } from './dialog.tsx';
import { ProblemAlert } from './problem-alert.tsx';

export interface FormModalProps<Values extends object> {
  readonly title: ReactNode;
  /** What it is about, in a sentence or two. */
  readonly lead?: ReactNode;
  /** Of the form, where its fields need ids of their own: another form of the page has fields of the same names. */
  readonly name?: string;
  /** What the button says; "Save" when left out. */
  readonly submit?: string;
  readonly width: number;
  readonly initialValues?: Partial<Values> | undefined;
  /** Of what the initial values are; with another one the fields begin anew. */
  readonly revision?: string | undefined;
  /** What is to be edited is not there yet, and why: null while it is being read. */
  readonly reading?: { readonly error: unknown } | undefined;
  /** What stores it, as `useChange` gives it. */
  readonly saving: { readonly error: unknown; readonly isPending: boolean };
  readonly onSave: (values: Values) => void;
  readonly onEnd: () => void;
  /** The fields. */
  readonly children: ReactNode;
}

/** A few fields in a dialog. What is edited is what it was when the dialog opened, though what stands behind may go on. */
export function FormModal<Values extends object>(props: FormModalProps<Values>) {
  const { t } = useTranslation();
  const { title, submit = t('common.save'), width, revision = '', reading, saving, onEnd } = props;
  const id = useId();
  return (
    <Dialog
      width={width}
      title={title}
      okText={submit}
      // The button stands outside of the form, and Enter in a field does what a button of the form does.
      okButtonProps={{ htmlType: 'submit', form: id, disabled: reading !== undefined }}
      cancelText={t('common.cancel')}
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
  return (
    <Form<Values>
      {...(name !== undefined && { name })}
      id={id}
      layout="vertical"
      requiredMark={false}
      {...(openedWith !== undefined && { initialValues: openedWith })}
      onFinish={(values) => {
        if (!saving.isPending) onSave(values);
      }}
    >
      <div className="stack">
        {lead !== undefined && <p className="quiet">{lead}</p>}
        {saving.error !== null && <ProblemAlert error={saving.error} />}
        {children}
      </div>
    </Form>
  );
}
