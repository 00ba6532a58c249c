import { CloseOutlined, DownloadOutlined } from '@ant-design/icons';
import { App, Button, Space } from 'antd';
import { useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { toApiProblem } from '../api/api-problem.ts';
import { byteOrderMark, csvLine } from './csv.ts';
import { problemSentence } from './problem-texts.ts';
import { saveFile } from './save-file.ts';

export interface ExportCsvProps<Item> {
  /** Without its ending. */
  readonly fileName: string;
  readonly columns: readonly (readonly [head: string, cell: (item: Item) => string | number | null])[];
  /** All that the filters let through, not only what the table has loaded. */
  readonly items: (signal: AbortSignal) => AsyncIterable<Item>;
}

/** A table as a CSV file. */
export function ExportCsv<Item>({ fileName, columns, items }: ExportCsvProps<Item>) {
  const { t, i18n } = useTranslation();
  const { message } = App.useApp();
  const [count, setCount] = useState<number>();
  const underWay = useRef<AbortController>(undefined);
  const exportButton = useRef<HTMLButtonElement>(null);
  const stopButton = useRef<HTMLButtonElement>(null);
  // Whoever leaves the page wants no file any more.
  useEffect(() => () => underWay.current?.abort(), []);

  async function save(): Promise<void> {
    const current = new AbortController();
    const { signal } = current;
    underWay.current = current;
    setCount(0);
    try {
      const lines = [byteOrderMark, csvLine(columns.map(([head]) => head))];
      for await (const item of items(signal)) {
        lines.push(csvLine(columns.map(([, cell]) => cell(item))));
        if (lines.length % 200 === 0) setCount(lines.length);
      }
      saveFile(`${fileName}.csv`, lines, 'text/csv;charset=utf-8');
    } catch (error) {
      if (!signal.aborted) message.error(problemSentence(i18n, toApiProblem(error)));
    } finally {
      // It goes now, and would take the focus along.
      if (document.activeElement === stopButton.current) exportButton.current?.focus();
      setCount(undefined);
    }
  }

  // In one place all the time, so that the button that has begun it keeps the focus.
  return (
    <Space.Compact>
      <Button ref={exportButton} icon={<DownloadOutlined />} loading={count !== undefined} onClick={() => void save()}>
        {count === undefined || count === 0 ? t('common.exportCsv') : t('common.exporting', { count })}
      </Button>
      {count !== undefined && (
        <Button
          ref={stopButton}
          icon={<CloseOutlined />}
          aria-label={t('common.stopExport')}
          onClick={() => underWay.current?.abort()}
        />
      )}
    </Space.Compact>
  );
}
