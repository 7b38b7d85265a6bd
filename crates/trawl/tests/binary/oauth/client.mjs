// An application as people write them: oauth4webapi does the protocol and checks every answer.
// The person is played by hand: signs in, reads the consent page, presses its button.
//
//   node client.mjs ADDRESS EMAIL PASSWORD AUTH
//
// AUTH is how the application proves itself: none, client_secret_basic or client_secret_post.

import assert from "node:assert/strict";
import * as oauth from "oauth4webapi";

const [address, email, password, auth] = process.argv.slice(2);
const plain = { [oauth.allowInsecureRequests]: true };
const redirectUri = "http://127.0.0.1:49152/back";

// What a service says of itself leads to who gives tokens for it.
const tools = new URL(`${address}/mcp`);
const resource = await oauth
  .resourceDiscoveryRequest(tools, plain)
  .then((answer) => oauth.processResourceDiscoveryResponse(tools, answer));
const issuer = new URL(resource.authorization_servers[0]);
const server = await oauth
  .discoveryRequest(issuer, { algorithm: "oauth2", ...plain })
  .then((answer) => oauth.processDiscoveryResponse(issuer, answer));
assert.deepEqual(server.code_challenge_methods_supported, ["S256"]);

const client = await oauth
  .dynamicClientRegistrationRequest(
    server,
    {
      client_name: "<b>Notes</b>",
      redirect_uris: ["http://127.0.0.1/back"],
      token_endpoint_auth_method: auth,
    },
    plain,
  )
  .then(oauth.processDynamicClientRegistrationResponse);
const proof = {
  none: () => oauth.None(),
  client_secret_basic: () => oauth.ClientSecretBasic(client.client_secret),
  client_secret_post: () => oauth.ClientSecretPost(client.client_secret),
}[auth]();

const cookies = new Map();

async function browse(path, form) {
  const answer = await fetch(new URL(path, address), {
    redirect: "manual",
    method: form ? "POST" : "GET",
    headers: {
      accept: "text/html",
      cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join("; "),
    },
    body: form && new URLSearchParams(form),
  });
  for (const line of answer.headers.getSetCookie()) {
    const [pair] = line.split(";");
    const at = pair.indexOf("=");
    cookies.set(pair.slice(0, at), pair.slice(at + 1));
  }
  return answer;
}

/// What a page of ours has in its hidden fields.
function hidden(page, name) {
  return page.match(new RegExp(`name="${name}" value="([^"]*)"`))?.[1].replaceAll("&amp;", "&");
}

/// Asks the person for these scopes; comes back with where the person was sent.
async function ask(scope, verifier, state, answer) {
  const url = new URL(server.authorization_endpoint);
  url.search = new URLSearchParams({
    response_type: "code",
    client_id: client.client_id,
    redirect_uri: redirectUri,
    code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
    code_challenge_method: "S256",
    scope,
    state,
    resource: address,
  });
  let seen = await browse(url);
  if (seen.status === 303) {
    // The browser has no session yet.
    const door = await browse(seen.headers.get("location"));
    const next = hidden(await door.text(), "next");
    const entered = await browse("/sign-in", { email, password, next });
    assert.equal(entered.status, 303);
    seen = await browse(entered.headers.get("location"));
  }
  assert.equal(seen.status, 200);
  const policy = seen.headers.get("content-security-policy");
  assert.match(policy, /form-action 'self' http:\/\/127\.0\.0\.1:49152;/);
  assert.match(policy, /frame-ancestors 'none'/);
  const page = await seen.text();
  assert.ok(page.includes("&lt;b&gt;Notes&lt;/b&gt;") && !page.includes("<b>Notes</b>"));
  assert.ok(page.includes("See your balance, your limits and your usage"));

  const forged = await browse(`${url.pathname}${url.search}`, { form_token: "x", answer });
  assert.equal(forged.status, 403, "a form of another session");
  const said = { form_token: hidden(page, "form_token"), answer };
  const sent = await browse(`${url.pathname}${url.search}`, said);
  assert.equal(sent.status, 303);
  return new URL(sent.headers.get("location"));
}

// The person says no.
const refused = await ask("account:read", oauth.generateRandomCodeVerifier(), "s1", "deny");
assert.throws(() => oauth.validateAuthResponse(server, client, refused, "s1"), {
  error: "access_denied",
});

// The person says yes; an answer with a forged state or issuer is none.
const verifier = oauth.generateRandomCodeVerifier();
const state = oauth.generateRandomState();
const sent = await ask("account:read jobs:read", verifier, state, "approve");
assert.throws(() => oauth.validateAuthResponse(server, client, sent, "another state"));
const elsewhere = new URL(sent);
elsewhere.searchParams.set("iss", "https://evil.example");
assert.throws(() => oauth.validateAuthResponse(server, client, elsewhere, state));
const answered = oauth.validateAuthResponse(server, client, sent, state);

const redeem = (secret) =>
  oauth
    .authorizationCodeGrantRequest(server, client, proof, answered, redirectUri, secret, plain)
    .then((answer) => oauth.processAuthorizationCodeResponse(server, client, answer));
const first = await redeem(verifier);
assert.equal(first.scope, "jobs:read account:read");

const call = (tokens, path, method = "GET") =>
  oauth.protectedResourceRequest(
    tokens.access_token,
    method,
    new URL(path, address),
    undefined,
    undefined,
    plain,
  );
const account = await (await call(first, "/v1/account")).json();
assert.equal(account.auth_method, "oauth");
assert.equal(account.key, null);
assert.deepEqual(account.scopes, ["jobs:read", "account:read"]);

// The library reads the challenge, and finds the scope in it.
await assert.rejects(call(first, "/v1/webhooks"), (error) => {
  const { scheme, parameters } = error.cause[0];
  return scheme === "bearer" && parameters.scope === "webhooks:read";
});

const refresh = (tokens) =>
  oauth
    .refreshTokenGrantRequest(server, client, proof, tokens.refresh_token, plain)
    .then((answer) => oauth.processRefreshTokenResponse(server, client, answer));
const second = await refresh(first);
assert.equal((await call(second, "/v1/account")).status, 200);

// A replayed refresh token ends the family.
await assert.rejects(refresh(first), { error: "invalid_grant" });
await assert.rejects(call(second, "/v1/account"));
await assert.rejects(refresh(second), { error: "invalid_grant" });

// A replayed code gives nothing, and a revoked token opens nothing.
await assert.rejects(redeem(verifier), { error: "invalid_grant" });
const again = await ask("account:read", verifier, state, "approve");
const third = await oauth
  .authorizationCodeGrantRequest(
    server,
    client,
    proof,
    oauth.validateAuthResponse(server, client, again, state),
    redirectUri,
    verifier,
    plain,
  )
  .then((answer) => oauth.processAuthorizationCodeResponse(server, client, answer));
await oauth
  .revocationRequest(server, client, proof, third.refresh_token, plain)
  .then(oauth.processRevocationResponse);
await assert.rejects(call(third, "/v1/account"));
console.log("done");
