import { updatePushSetting } from '@waxwing/contract/management-api/operations/push-setting-operations.ts';
import { App, Button, Form, Input, InputNumber, Switch } from 'antd';
import { type ReactNode, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useChange } from '../../api/api-context.tsx';
import type { Tagged } from '../../api/call.ts';
import type { PushSetting } from '../../api/shown-pushes.ts';
import { UrlFault } from '../../parts/forms/url-fault.tsx';
import { ProblemAlert } from '../../parts/text/problem-alert.tsx';
import { ResendModal } from '../push/resend-modal.tsx';
import { SettingConflict } from './setting-conflict.tsx';
import { numberFields, type SettingDraft, updateOf } from './setting-draft.ts';
import { useSettingDraft } from './use-setting-draft.ts';

interface PushSettingFormProps {
  readonly organizationId: string;
  readonly setting: Tagged<PushSetting>;
  readonly onOutdated: () => void;
  readonly besideSave: (isChanged: boolean) => ReactNode;
}

const limits = {
  timeout_seconds: { min: 1, max: 30, hint: 'timeoutHint' },
  retries: { min: 0, max: 10, hint: 'retriesHint' },
  concurrency: { min: 1, max: 64, hint: 'concurrencyHint' },
} as const;

export function PushSettingForm({ organizationId, setting, onOutdated, besideSave }: PushSettingFormProps) {
  const { t } = useTranslation();
  const { message } = App.useApp();
  const { kind, id, switched_at } = setting.value;
  const state = useSettingDraft(setting);
  const { draft, base, isChanged, conflicts } = state;
  const updating = useChange(updatePushSetting);
  /** The time since which pushes were off, when they have just been switched on. */
  const [offSince, setOffSince] = useState<string>();

  const isUrlRefused = updating.error?.field === 'url';
  const isUrlMissing = draft.url === '' && isChanged;
  const isUrlWrong = isUrlRefused || isUrlMissing;
  const update = updateOf(base.draft, draft);
  const idOf = (field: keyof SettingDraft) => `push-${kind}-${field}`;
  const hintOf = (field: keyof SettingDraft) => `push-${kind}-${field}-hint`;

  function change(part: Partial<SettingDraft>): void {
    // The result of a request in flight is still to be shown.
    if (!updating.isPending) updating.reset();
    state.change(part);
  }

  function save(): void {
    if (update === undefined || !isChanged || isUrlMissing) return;
    const isSwitchedOn = id !== null && update.enabled === true;
    state.noteSent();
    updating.mutate(
      { params: { organization_id: organizationId, kind }, body: update, ifMatch: base.etag },
      {
        onSuccess: () => {
          void message.success(t('push.settings.saved'));
          if (isSwitchedOn && switched_at !== null) setOffSince(switched_at);
        },
        onError: ({ code }) => {
          state.forgetSent();
          if (code === 'precondition_failed') onOutdated();
        },
      },
    );
  }

  return (
    <Form layout="vertical" className="push-setting" aria-labelledby={`push-${kind}`} onFinish={save}>
      <div className="settings-row push-switch">
        <div>
          <div id={`${idOf('enabled')}-label`}>{t('push.settings.switch')}</div>
          <div className="quiet small">{t('push.settings.switchHint')}</div>
        </div>
        <Switch
          aria-labelledby={`${idOf('enabled')}-label`}
          checked={draft.enabled}
          onChange={(enabled) => change({ enabled })}
        />
      </div>
      <Form.Item
        label={t('push.settings.url')}
        htmlFor={idOf('url')}
        {...(isUrlWrong
          ? {
              validateStatus: 'error' as const,
              help: (
                <span id={hintOf('url')}>
                  {isUrlRefused && updating.error !== null ? (
                    <UrlFault url={draft.url} problem={updating.error} />
                  ) : (
                    t('push.settings.urlNeeded')
                  )}
                </span>
              ),
            }
          : { extra: <span id={hintOf('url')}>{t('push.settings.urlHint')}</span> })}
      >
        <Input
          id={idOf('url')}
          type="url"
          inputMode="url"
          className="mono"
          maxLength={2000}
          spellCheck={false}
          placeholder={`https://shop.example.com/sms/${kind}`}
          aria-describedby={hintOf('url')}
          aria-invalid={isUrlWrong}
          value={draft.url}
          onChange={({ target }) => change({ url: target.value.trim() })}
        />
      </Form.Item>
      <div className="push-numbers">
        {numberFields.map((field) => {
          const { min, max, hint } = limits[field];
          return (
            <Form.Item
              key={field}
              label={t(`push.settings.${field}`)}
              htmlFor={idOf(field)}
              {...(draft[field] === null && { validateStatus: 'error' as const })}
              extra={<span id={hintOf(field)}>{t(`push.settings.${hint}`)}</span>}
            >
              <InputNumber
                id={idOf(field)}
                min={min}
                max={max}
                precision={0}
                aria-describedby={hintOf(field)}
                value={draft[field]}
                onChange={(value) => change({ [field]: value })}
              />
            </Form.Item>
          );
        })}
      </div>
      <div className="stack">
        {conflicts.length > 0 && <SettingConflict state={state} />}
        {updating.error !== null && !isUrlRefused && conflicts.length === 0 && <ProblemAlert error={updating.error} />}
        <div className="row">
          <Button
            type="primary"
            htmlType="submit"
            disabled={!isChanged || update === undefined || conflicts.length > 0}
            loading={updating.isPending}
          >
            {t('common.save')}
          </Button>
          {isChanged && <Button onClick={() => change(base.draft)}>{t('push.settings.discard')}</Button>}
          {besideSave(isChanged)}
        </div>
      </div>
      {offSince !== undefined && (
        <ResendModal
          organizationId={organizationId}
          title={t('push.resend.missedTitle')}
          what={t('push.resend.missedWhat')}
          cancelText={t('push.resend.notNow')}
          initial={{ kind, which: 'undelivered', since: offSince }}
          isKindFixed
          onEnd={() => setOffSince(undefined)}
        />
      )}
    </Form>
  );
}
