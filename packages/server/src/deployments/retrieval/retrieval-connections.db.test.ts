import assert from 'node:assert/strict';
import { once } from 'node:events';
import { before, test } from 'node:test';
import {
  inBothWorlds,
  requestOf,
  type TestCertificate,
  type TestDeployment,
  type TestServer,
} from './retrieval-world.testing.ts';

inBothWorlds('connections', (world) => {
  let server: TestServer;
  let certificate: TestCertificate;
  let deployment: TestDeployment;

  before(async () => {
    server = await world().serve();
    certificate = await world().importLeaf({ domains: ['example.com'] });
    deployment = await world().deploy(certificate.id);
  });

  test('requests in one segment are answered in their order, whatever each of them takes', async () => {
    const { bearer } = deployment;
    const { leaf } = certificate;
    const connection = server.connect();
    connection.write(
      requestOf('GET /api/download?type=key', bearer),
      requestOf('GET /api/certificate'),
      requestOf('GET /api/download', bearer),
      requestOf('GET /api/nothing', bearer),
      requestOf('GET /api/certificate', bearer),
      requestOf('POST /api/certificate', bearer, 'Content-Length: 0'),
      requestOf('GET /api/download?type=x', bearer),
    );
    assert.equal((await connection.answer()).body, leaf.keyPem);
    assert.equal((await connection.answer()).status, 401);
    assert.equal((await connection.answer()).body, leaf.chainPem);
    assert.equal((await connection.answer()).status, 404);
    assert.equal(JSON.parse((await connection.answer()).body).data.certificate_info.private_key, leaf.keyPem);
    assert.equal((await connection.answer()).status, 405);
    assert.equal((await connection.answer()).status, 400);
    connection.close();
  });

  test('a connection serves one request after the other, of different clients of a proxy too', async () => {
    const other = await world().importLeaf({ domains: ['other.example'] });
    const { bearer } = await world().deploy(other.id);
    const connection = server.connect();
    for (let round = 0; round < 20; round += 1) {
      const mine = await connection.ask('GET /api/download?type=key', deployment.bearer);
      assert.equal(mine.body, certificate.leaf.keyPem);
      assert.equal((await connection.ask('GET /api/download?type=key')).status, 401);
      assert.equal((await connection.ask('GET /api/download?type=key', bearer)).body, other.leaf.keyPem);
    }
    connection.close();
  });

  test('a request that arrives byte by byte is a request, and does not hold up others', async () => {
    const slow = server.connect();
    const bytes = requestOf('GET /api/download', 'Host: x', deployment.bearer);
    slow.socket.setNoDelay(true);
    for (const byte of bytes.slice(0, -1)) {
      slow.socket.write(byte);
      if (byte === '\n') assert.equal((await server.ask('GET /api/download', deployment.bearer)).status, 200);
    }
    slow.socket.write(bytes.slice(-1));
    assert.equal((await slow.answer()).body, certificate.leaf.chainPem);
    slow.close();
  });

  test('clients that do not read their answers do not hold up others', async () => {
    const deaf = Array.from({ length: 20 }, () => server.connect());
    for (const connection of deaf) {
      connection.socket.pause();
      connection.write(...new Array<string>(500).fill(requestOf('GET /api/certificate', deployment.bearer)));
    }
    for (let round = 0; round < 5; round += 1) {
      assert.equal((await server.ask('GET /api/download?type=key', deployment.bearer)).body, certificate.leaf.keyPem);
    }
    for (const connection of deaf) connection.close();
  });

  test('a client that leaves before its answer does no harm', async () => {
    const leaving = Array.from({ length: 50 }, () => server.connect());
    await Promise.all(
      leaving.map(async (connection) => {
        await once(connection.socket, 'connect');
        connection.write(requestOf('GET /api/download?type=key', deployment.bearer));
        connection.socket.resetAndDestroy();
      }),
    );
    assert.equal((await server.ask('GET /api/download?type=key', deployment.bearer)).body, certificate.leaf.keyPem);
  });

  test('many requests at the same time are all answered', async () => {
    const answers = await Promise.all(
      Array.from({ length: 200 }, (_, index) =>
        server.ask(`GET /api/${index % 2 === 0 ? 'certificate' : 'download?type=key'}`, deployment.bearer),
      ),
    );
    assert.deepEqual(
      answers.filter(({ status }) => status !== 200),
      [],
    );
  });
});
