import { EditOutlined } from '@ant-design/icons';
import { getRouteApi } from '@tanstack/react-router';
import {
  showCarrier,
  testCarrier,
  updateCarrier,
} from '@waxwing/contract/management-api/operations/carrier-setting-operations.ts';
import { Button } from 'antd';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useAnswer } from '../../api/api-context.tsx';
import { useMay } from '../../api/use-me.ts';
import { PageHead } from '../../parts/text/page-head.tsx';
import { ProblemAlert } from '../../parts/text/problem-alert.tsx';
import { Unread } from '../../parts/text/unread.tsx';
import { liveStepMs } from '../push-health/health-series.ts';
import { CarrierConnections } from './carrier-connections.tsx';
import { CarrierFacts } from './carrier-facts.tsx';
import { CarrierStateMark } from './carrier-marks.tsx';
import { CarrierPlots } from './carrier-plots.tsx';
import { CarrierSettingsPanel } from './carrier-settings-panel.tsx';
import { DeleteCarrierButton, SwitchCarrierButton } from './carrier-switches.tsx';
import { EditCarrierModal } from './edit-carrier-modal.tsx';
import '../push/push.css';
import './carriers.css';
import { TestCarrierButton } from './test-carrier-button.tsx';

const route = getRouteApi('/frame/instance/carriers/$carrierId');

/** One carrier: what its link does, and how it is set. */
export function CarrierPage() {
  const { t } = useTranslation();
  const { carrierId } = route.useParams();
  const may = useMay();
  // What a link does changes without a notice.
  const carrier = useAnswer(showCarrier, { params: { carrier_id: carrierId } }, { refetchInterval: liveStepMs });
  const [isEditing, setEditing] = useState(false);
  const { data } = carrier;
  if (data === undefined) return <Unread of={carrier} />;
  return (
    <>
      <PageHead
        title={data.name}
        beside={<CarrierStateMark carrier={data} />}
        lead={
          <>
            {t(`carriers.choices.protocol.${data.protocol}`)} · <span className="mono">{data.address}</span>
          </>
        }
        actions={
          <>
            <DeleteCarrierButton carrier={data} />
            <SwitchCarrierButton carrier={data} />
            {may(updateCarrier) && (
              <Button icon={<EditOutlined />} onClick={() => setEditing(true)}>
                {t('common.edit')}
              </Button>
            )}
            {may(testCarrier) && <TestCarrierButton carrier={data} />}
          </>
        }
      />
      <div className="stack">
        <ProblemAlert error={carrier.error} onRetry={() => void carrier.refetch()} />
        <CarrierFacts carrier={data} />
        <CarrierConnections carrier={data} answer={carrier} />
        <CarrierPlots carrier={data} answeredAt={carrier.dataUpdatedAt} />
        <CarrierSettingsPanel carrier={data} />
      </div>
      {isEditing && <EditCarrierModal carrierId={carrierId} onEnd={() => setEditing(false)} />}
    </>
  );
}
