/**
 * `node --import` of this file: names are resolved by the name server TRIAL_NAME_SERVER, as if the system named it. A
 * story must not change the system, and must not reach real name servers.
 */
import dns, { type ResolverOptions } from 'node:dns';
import { syncBuiltinESMExports } from 'node:module';

const server = process.env.TRIAL_NAME_SERVER;
const { Resolver } = dns.promises;

class TrialResolver extends Resolver {
  constructor(options?: ResolverOptions) {
    super(options);
    if (server !== undefined) this.setServers([server]);
  }
}

Object.assign(dns.promises, { Resolver: TrialResolver });
syncBuiltinESMExports();
