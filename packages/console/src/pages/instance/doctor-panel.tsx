import { MedicineBoxOutlined } from '@ant-design/icons';
import type { AnswerOf } from '@waxwing/contract/management-api/operation.ts';
import { inspectInstance } from '@waxwing/contract/management-api/operations/instance-operations.ts';
import { Alert, Button } from 'antd';
import { useTranslation } from 'react-i18next';
import { useChange } from '../../api/api-context.tsx';
import { useMay } from '../../api/use-me.ts';
import { Mark } from '../../parts/marks/mark.tsx';
import { useFollowedWork } from '../../parts/marks/use-followed-work.ts';
import { WorkProgress } from '../../parts/marks/work-progress.tsx';
import { faultText } from '../../parts/text/fault-text.ts';
import { Panel } from '../../parts/text/panel.tsx';
import { ProblemAlert } from '../../parts/text/problem-alert.tsx';

type Check = AnswerOf<typeof inspectInstance>['checks'][number];

const tones = { ok: 'good', warn: 'soon', fail: 'bad' } as const;
/** Problems come first. */
const order = { fail: 0, warn: 1, ok: 2 } as const;

/** The findings of the doctor, each with its remedy. */
export function DoctorPanel() {
  const { t } = useTranslation();
  const may = useMay();
  const inspecting = useChange(inspectInstance);
  const { data, error, isPending } = inspecting;
  const followed = useFollowedWork(error, 'doctor_under_way', () => inspecting.mutate({}));
  if (!may(inspectInstance)) return null;
  function inspect(): void {
    followed.begin();
    inspecting.mutate({});
  }
  const checks = (data?.checks ?? []).toSorted((one, other) => order[one.state] - order[other.state]);
  return (
    <Panel
      title={t('instanceHealth.doctor.title')}
      actions={
        <Button icon={<MedicineBoxOutlined />} loading={isPending} onClick={inspect}>
          {t(data === undefined ? 'instanceHealth.doctor.inspect' : 'instanceHealth.doctor.again')}
        </Button>
      }
    >
      {data === undefined && <p className="quiet">{t('instanceHealth.doctor.what')}</p>}
      {error !== null && !followed.hasEnded && <ProblemAlert error={error} />}
      {followed.hasEnded && <Alert type="info" showIcon title={t('instanceHealth.doctor.ended')} />}
      {(isPending || followed.isFollowing) && (
        <WorkProgress
          work="inspection"
          name={t('instanceHealth.doctor.title')}
          words={(done, total) => t('instanceHealth.doctor.progress', { done, total })}
          {...(followed.isFollowing && { onTold: followed.told })}
        />
      )}
      {checks.length > 0 && (
        <ul aria-label={t('instanceHealth.doctor.title')}>
          {checks.map((check) => (
            <Finding key={`${check.name} ${check.message}`} check={check} />
          ))}
        </ul>
      )}
    </Panel>
  );
}

function Finding({ check }: { readonly check: Check }) {
  const { t, i18n } = useTranslation();
  const { name, state, remedy } = check;
  return (
    <li className="settings-row finding">
      <div>
        <div className="break-anywhere">
          <span className="mono quiet">{name}</span> {faultText(i18n, 'doctorFindings.*.message', check)}
        </div>
        {remedy !== null && (
          <div className="break-anywhere">
            <strong>{t('instanceHealth.doctor.remedy')}</strong>{' '}
            {faultText(i18n, 'doctorFindings.*.remedy', { ...check, message: remedy })}
          </div>
        )}
      </div>
      <Mark tone={tones[state]}>{t(`instanceHealth.doctor.states.${state}`)}</Mark>
    </li>
  );
}
