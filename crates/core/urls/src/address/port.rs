//! Ports that may be connected to without permission of the operator.

/// Ports from 1024 up that browsers block because they belong to other protocols.
const BAD_PORTS: &[u16] = &[
    1719, 1720, 1723, 2049, 3659, 4045, 4190, 5060, 5061, 6000, 6566, 6665, 6666, 6667, 6668, 6669,
    6679, 6697, 10080,
];

/// Ports of databases, message brokers, remote desktops and cluster administration. They have no public
/// websites, and many of these services accept a plain HTTP request without authentication. Sorted, for
/// binary search.
const SERVICE_PORTS: &[u16] = &[
    // RMI, MS SQL Server, Oracle, MQTT, ZooKeeper, Docker, etcd, Firebird, MySQL, RDP.
    1099, 1433, 1434, 1521, 1522, 1883, 2181, 2375, 2376, 2377, 2379, 2380, 3050, 3306, 3389,
    // Erlang, Salt, Nomad, PostgreSQL, ADB, Kibana, AMQP, VNC, CouchDB, WinRM.
    4369, 4505, 4506, 4646, 4647, 4648, 5432, 5433, 5555, 5601, 5671, 5672, 5900, 5901, 5902, 5984,
    5985, 5986, // Redis, PgBouncer, Kubernetes, Cassandra, Neo4j.
    6379, 6380, 6432, 6443, 7000, 7199, 7473, 7474, 7687,
    // AJP, InfluxDB, Puppet, Vault, Consul, ArangoDB, Consul's DNS, MQTT.
    8009, 8086, 8140, 8200, 8300, 8301, 8302, 8500, 8501, 8502, 8529, 8600, 8883,
    // Cassandra, Kafka, Cassandra, Elasticsearch, kubelet and its neighbours.
    9042, 9092, 9160, 9200, 9300, 10250, 10255, 10256, 10257, 10259,
    // Couchbase, memcached, RabbitMQ, CockroachDB, Redis Sentinel and Cluster, MongoDB.
    11210, 11211, 15672, 16379, 26257, 26379, 27017, 27018, 27019, 28017,
];

/// Whether a port may be connected to: 80, 443, or from 1024 up without the
/// browsers' list of bad ports and without the ports of databases and administration.
#[must_use]
pub fn is_permitted_port(port: u16) -> bool {
    matches!(port, 80 | 443)
        || (port >= 1024
            && !BAD_PORTS.contains(&port)
            && SERVICE_PORTS.binary_search(&port).is_err())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ports_of_other_protocols_are_refused() {
        assert!([80, 443, 1024, 3000, 8000, 8080, 65535].into_iter().all(is_permitted_port));
        assert!(
            ![0, 1, 22, 25, 81, 1023, 2049, 6000, 6667, 10080].into_iter().any(is_permitted_port)
        );
    }

    #[test]
    fn service_ports_are_sorted_and_refused() {
        assert!(SERVICE_PORTS.is_sorted());
        assert!(!SERVICE_PORTS.iter().copied().any(is_permitted_port));
    }
}
