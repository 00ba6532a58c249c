import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ProviderRequest } from '../provider-request.ts';
import { canonicalQuery, percentEncode } from './key-pair.ts';
import { signAliyun } from './sign-aliyun.ts';
import { signAws } from './sign-aws.ts';
import { signHuawei } from './sign-huawei.ts';
import { signTencent } from './sign-tencent.ts';

const signatureOf = ({ headers }: ProviderRequest) => headers.authorization?.replace(/.*Signature=/, '');

test('the example of "V3 request structure and signature" of Alibaba Cloud', () => {
  const request = signAliyun(
    {
      host: 'ecs.cn-shanghai.aliyuncs.com',
      action: 'RunInstances',
      version: '2014-05-26',
      query: { RegionId: 'cn-shanghai', ImageId: 'win2019_1809_x64_dtc_zh-cn_40G_alibase_20230811.vhd' },
    },
    { id: 'YourAccessKeyId', secret: 'YourAccessKeySecret' },
    { now: Date.UTC(2023, 9, 26, 10, 22, 32), nonce: '3156853299f313e23d1673dc12e1703d' },
  );
  assert.equal(
    request.headers.authorization,
    'ACS3-HMAC-SHA256 Credential=YourAccessKeyId,' +
      'SignedHeaders=host;x-acs-action;x-acs-content-sha256;x-acs-date;x-acs-signature-nonce;x-acs-version,' +
      'Signature=06563a9e1b43f5dfe96b81484da74bceab24a1d853912eee15083a6f0f3283c0',
  );
  assert.equal(
    request.url,
    'https://ecs.cn-shanghai.aliyuncs.com/' +
      '?ImageId=win2019_1809_x64_dtc_zh-cn_40G_alibase_20230811.vhd&RegionId=cn-shanghai',
  );
});

test('the example of "Signature v3" of Tencent Cloud', () => {
  const request = signTencent(
    {
      host: 'cvm.tencentcloudapi.com',
      service: 'cvm',
      action: 'DescribeInstances',
      version: '2017-03-12',
      body: '{"Limit": 1, "Filters": [{"Values": ["\\u672a\\u547d\\u540d"], "Name": "instance-name"}]}',
    },
    { id: 'AKIDz8krbsJ5yKBZQpn74WFkmLPx3EXAMPLE', secret: 'Gu5t9xGARNpq86cd98joQYCN3EXAMPLE' },
    { now: 1_551_113_065_000, nonce: '' },
  );
  assert.equal(
    request.headers.authorization,
    'TC3-HMAC-SHA256 Credential=AKIDz8krbsJ5yKBZQpn74WFkmLPx3EXAMPLE/2019-02-25/cvm/tc3_request, ' +
      'SignedHeaders=content-type;host, Signature=72e494ea809ad7a8c8f7a4507b9bddcbaa8e581f516e8da2f66e2c5a96525168',
  );
});

test('the example of the "API Request Signing Guide" of Huawei Cloud', () => {
  const request = signHuawei(
    {
      method: 'GET',
      host: 'service.region.example.com',
      path: '/v1/77b6a44cba5143ab91d13ab9a8ff44fd/vpcs',
      query: { limit: '2', marker: '13551d6b-755d-4757-b956-536f674975c0' },
    },
    { id: 'QTWAOYTTINDUT2QVKYUC', secret: 'MFyfvK41ba2giqM7Uio6PznpdUKGpownRZlmVmHc' },
    { now: Date.UTC(2019, 10, 15, 3, 36, 55), nonce: '' },
  );
  assert.equal(
    request.headers.authorization,
    'SDK-HMAC-SHA256 Access=QTWAOYTTINDUT2QVKYUC, SignedHeaders=content-type;host;x-sdk-date, ' +
      'Signature=7be6668032f70418fcc22abc52071e57aff61b84a1d2381bb430d6870f4f6ebe',
  );
});

test('vectors of the test suite of AWS Signature Version 4', () => {
  const keys = { id: 'AKIDEXAMPLE', secret: 'wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY' };
  const moment = { now: Date.UTC(2015, 7, 30, 12, 36), nonce: '' };
  const common = { host: 'example.amazonaws.com', region: 'us-east-1', service: 'service', path: '/' } as const;
  const get = (query: Readonly<Record<string, string>>) =>
    signatureOf(signAws({ ...common, method: 'GET', query }, keys, moment));
  // get-vanilla, get-vanilla-query-order-key-case, post-vanilla
  assert.equal(get({}), '5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31');
  assert.equal(
    get({ Param2: 'value2', Param1: 'value1' }),
    'b97d918cfa904a5beff61c982a1b6f458b799221646efd99d3219ec94cdf2500',
  );
  const post = signAws({ ...common, method: 'POST', query: {} }, keys, moment);
  assert.equal(signatureOf(post), '5da7c1a2acd57cee7505fc6676e4e544621c30862966e37dddb68e92efbe5d6b');
});

test('queries are encoded and ordered for all of them', () => {
  assert.equal(percentEncode("a b*(c)!'~默"), 'a%20b%2A%28c%29%21%27~%E9%BB%98');
  assert.equal(canonicalQuery({ b: '1', a: '2', 'a-': '3', A: '4' }), 'A=4&a=2&a-=3&b=1');
});
