import { Alert, Button } from 'antd';
import { useTranslation } from 'react-i18next';
import type { DraftField, SettingDraft } from './setting-draft.ts';
import type { SettingDraftState } from './use-setting-draft.ts';

/** The changes by somebody else that conflict with the draft, and the choice between both. */
export function SettingConflict({ state }: { readonly state: SettingDraftState }) {
  const { t } = useTranslation();
  const { base, latest, conflicts, goOn } = state;
  const name = (field: DraftField) => t(field === 'enabled' ? 'push.settings.switch' : `push.settings.${field}`);
  const text = (draft: SettingDraft, field: DraftField) => {
    if (field === 'enabled') return t(draft.enabled ? 'push.on' : 'push.off');
    const value = draft[field];
    return value === '' || value === null ? t('push.settings.conflict.nothing') : String(value);
  };
  return (
    <Alert
      type="warning"
      showIcon
      role="alert"
      title={t('push.settings.conflict.title')}
      description={
        <div className="stack tight">
          <ul>
            {conflicts.map((field) => (
              <li key={field} className="break-anywhere">
                {t('push.settings.conflict.change', {
                  field: name(field),
                  from: text(base.draft, field),
                  to: text(latest, field),
                })}
              </li>
            ))}
          </ul>
          <span>{t('push.settings.conflict.what')}</span>
          <div className="row">
            <Button size="small" onClick={() => goOn(true)}>
              {t('push.settings.conflict.mine')}
            </Button>
            <Button size="small" onClick={() => goOn(false)}>
              {t('push.settings.conflict.theirs')}
            </Button>
          </div>
        </div>
      }
    />
  );
}
