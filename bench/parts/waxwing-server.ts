import type { Database } from '../../packages/server/src/database/database.ts';
import { startServer } from '../../packages/server/src/start-server.ts';
import { serveParent } from './child-link.ts';
import { openConfigured } from './open-configured.ts';

const commitsPerAnswer = 100;

/** Waxwing as `waxwing serve` composes it, on the settings of the environment. */
const application = await openConfigured(process.env);
const server = await startServer(application);
const { database } = application;

serveParent(
  server.url,
  {
    links: () => countLinks(database),
    commits: () => timeCommits(database),
    tokens: () => server.status().tokens_in_memory,
  },
  async () => {
    await server.stop();
    await application.close();
  },
);

async function countLinks({ db }: Database): Promise<number> {
  const { link } = await db.selectFrom('audit_head').select('link').executeTakeFirstOrThrow();
  return link;
}

/** The smallest durable write: one row in a transaction of its own. */
async function timeCommits({ db }: Database): Promise<number[]> {
  const times: number[] = [];
  for (let count = 0; count < commitsPerAnswer; count += 1) {
    const startedAt = performance.now();
    await db
      .insertInto('instance_fact')
      .values({ name: 'bench', value: Buffer.of(count) })
      .onConflict((conflict) => conflict.column('name').doUpdateSet({ value: Buffer.of(count) }))
      .execute();
    times.push(performance.now() - startedAt);
  }
  await db.deleteFrom('instance_fact').where('name', '=', 'bench').execute();
  return times;
}
