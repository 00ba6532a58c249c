import { MedicineBoxOutlined } from '@ant-design/icons';
import { inspectInstance } from '@waxwing/contract/management-api/instance-operations.ts';
import type { AnswerOf } from '@waxwing/contract/management-api/operation.ts';
import { Alert, Button } from 'antd';
import { useTranslation } from 'react-i18next';
import { useChange } from '../../api/api-context.tsx';
import { useMay } from '../../api/use-me.ts';
import { faultText } from '../../parts/fault-text.ts';
import { Mark } from '../../parts/mark.tsx';
import { ProblemAlert } from '../../parts/problem-alert.tsx';
import { useFollowedWork } from '../../parts/use-followed-work.ts';
import { WorkProgress } from '../../parts/work-progress.tsx';

type Check = AnswerOf<typeof inspectInstance>['checks'][number];

const tones = { ok: 'good', warn: 'soon', fail: 'bad' } as const;
/** What needs somebody stands first. */
const order = { fail: 0, warn: 1, ok: 2 } as const;

/** What the doctor of the command line finds, each finding with its remedy. */
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
    <section className="panel stack" aria-labelledby="doctor">
      <div className="row">
        <h2 id="doctor" className="panel-title grow" style={{ marginBlockEnd: 0 }}>
          {t('instanceHealth.doctor.title')}
        </h2>
        <Button icon={<MedicineBoxOutlined />} loading={isPending} onClick={inspect}>
          {t(data === undefined ? 'instanceHealth.doctor.inspect' : 'instanceHealth.doctor.again')}
        </Button>
      </div>
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
    </section>
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
