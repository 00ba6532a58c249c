import { Spin } from 'antd';

export function PagePending() {
  return (
    <div className="gate-middle">
      <Spin size="large" />
    </div>
  );
}
