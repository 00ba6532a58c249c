import { Spin } from 'antd';

export function PagePending() {
  return (
    <div className="signed-out-middle">
      <Spin size="large" />
    </div>
  );
}
